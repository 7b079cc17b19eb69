// What a run has saved so far: for who starts it again after a fault.
#ifndef MPC_TRAIN_SAVED_H
#define MPC_TRAIN_SAVED_H

#include "mpc/Train/Options.h"
#include "mpc/Train/Status.h"

#include <memory>

namespace mpc::train {

struct SavedState {
  /// What --resume takes: the file of --save, or the folder of --save-dir.
  std::string source;
  std::string path;             ///< That file, or the folder of the step.
  std::optional<uint64_t> step; ///< Nothing: it is no state of a run.
  std::string version;          ///< Another one after each save.
};

/// The newest step in the folder of --save-dir that is complete, or was, where
/// none is any more; if there is none the state in the file of --save, which is
/// written at the end alone then. Nothing if there is no such file, or it is a
/// pipe or a device. Whether a file is still whole is left to who reads it.
std::optional<SavedState> findSaved(const SaveOptions &options);

/// Fails where ranks would before they read their program: options that exclude
/// each other, files that cannot be read by several, or written, or are
/// another's (Fault::Busy); a program that
/// `ranks` of them cannot train, data that is none for it, or too little, which
/// is read for that; steps of another run in the folder.
Expected<bool> checkRun(const TrainOptions &options, uint32_t ranks);

/// Keeps others from the file of --save and the folder of --save-dir, which it
/// makes, for processes that train one after the other, and inherit
/// `descriptors`, as many as they are named in MPC_WRITER_LOCKS. Else somebody
/// could save there between two of them, which the second would take for the
/// first one's.
class SaveLocks {
public:
  /// Fault::Busy: another process writes there.
  static Expected<SaveLocks> take(const SaveOptions &options);

  std::vector<int> descriptors() const;

private:
  struct Body;
  explicit SaveLocks(std::shared_ptr<const Body> body)
      : body(std::move(body)) {}
  std::shared_ptr<const Body> body;
};

} // namespace mpc::train

#endif // MPC_TRAIN_SAVED_H
