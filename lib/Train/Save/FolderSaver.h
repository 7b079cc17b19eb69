// Saves states to folders of steps (StepFolders.h) while training goes on:
//
//   FolderSaver saver(...);
//   saver.begin(position, resumed);
//   ... a step ...
//   saver.save(position);  copies the states, and a thread writes them
//   ... a step ...
//   saver.check();         throws what became of the thread, if it failed
//   ... the last step ...
//   saver.saveAtEnd(position);
//
// Of several ranks each does the same, in the same steps, and writes its shard;
// rank 0 writes the manifest when all have told, by the store, that theirs is
// written. No rank's thread takes part in a collective.
#ifndef MPC_LIB_TRAIN_SAVE_FOLDERSAVER_H
#define MPC_LIB_TRAIN_SAVE_FOLDERSAVER_H

#include "../Ranks/RankGroup.h"
#include "Checkpoint.h"
#include "Shard.h"
#include "StepFolders.h"

#include "mpc/Train/Observer.h"

#include <atomic>
#include <future>

namespace mpc::train {

class FolderSaver {
public:
  /// `group`: null if this is the only rank.
  FolderSaver(const SaveOptions &options, const rt::Program &program,
              const rt::Session &session, RankGroup *group, Observer &observer);
  /// Waits for the thread, but for no other rank.
  ~FolderSaver();

  /// Training begins at `position`, which was read from `resumed`, or from no
  /// folder. Refuses a folder that holds steps of another run after that one:
  /// they would be taken for this run's.
  void begin(const Position &position, const std::string &resumed);
  /// Waits for the save before.
  void save(const Position &position);
  /// Throws what the thread has failed with.
  void check();
  /// Waits until it is done, on all ranks. The same.
  void wait();
  /// Saves if `position` is not saved yet, and waits.
  void saveAtEnd(const Position &position);

  /// Of the copy of the states.
  uint64_t copyBytes() const { return shard.bytes(); }
  std::optional<uint64_t> savedStep() const { return saved; }

private:
  using Warnings = std::vector<std::string>;
  struct Order {
    uint64_t step;
    rt::Metadata metadata;
  };
  Warnings write(const Order &order);
  std::string hear(uint64_t step, const std::string &name);
  void tellFailure(uint64_t step, const std::string &what);
  std::vector<FileFacts> collect(const Order &order, FileFacts own);
  void publish(const Order &order, std::vector<FileFacts> files);
  void removeOld(uint64_t newest, Warnings &warnings);
  bool isComplete(const StepFolder &step);

  const SaveOptions &options;
  const rt::Session &session;
  RankGroup *group;
  Observer &observer;
  const uint32_t rank, ranks;
  const std::string model, program, groups;
  Shard shard;
  std::atomic<bool> isAbandoned = false;
  std::optional<uint64_t> saved, ordered; ///< Steps.
  /// Of folders that were looked at; the thread's.
  std::map<uint64_t, bool> complete;
  std::future<Warnings> thread;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_FOLDERSAVER_H
