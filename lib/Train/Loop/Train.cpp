#include "mpc/Train/Train.h"
#include "mpc/Train/Saved.h"

#include "../Inputs.h"
#include "../Save/SaveFiles.h"
#include "../Save/StepFolders.h"
#include "RunFiles.h"
#include "Settings.h"
#include "Training.h"

#include "mpc/Program/Names.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <unistd.h>

using namespace mpc;
using namespace mpc::train;

namespace {
/// Rank 0 tells for all; but signals come to each.
class QuietObserver final : public Observer {
public:
  explicit QuietObserver(Observer &observer) : observer(observer) {}
  void onGuarded() override { observer.onGuarded(); }

private:
  Observer &observer;
};
} // namespace

/// What rank 0 writes for all is not the others'. They have a share in folders
/// of checkpoints, which rank 0 has made, and locked.
static TrainOptions withoutFiles(TrainOptions options) {
  options.saving.file = "";
  options.saving.best.reset();
  if (options.saving.folder.empty())
    options.saving = {};
  options.metrics = options.summary = options.timeline = "";
  options.outputs.clear();
  options.timings = false;
  return options;
}

/// With --resume-if-saved: what the run has saved is what it goes on from.
static TrainOptions fromSaved(TrainOptions options) {
  if (!options.saving.resumes)
    return options;
  std::string saved = findSavedSource(options.saving);
  if (saved.empty())
    return options;
  options.resume = saved;
  options.weights = "";
  options.scale.reset(); // The state has what became of it.
  return options;
}

static std::string rankMetricsOf(const TrainOptions &options, uint32_t rank) {
  return options.rankMetrics.empty()
             ? ""
             : insertMark(options.rankMetrics, "rank-" + std::to_string(rank));
}

/// Of rank 0, which writes for all, and of what the others write beside it.
static void
checkFilesOfAll(const TrainOptions &given, uint32_t ranks,
                const std::function<void(const TrainOptions &)> &check) {
  TrainOptions options = given;
  for (uint32_t rank = 0; rank == 0 || rank < ranks; ++rank) {
    options.rankMetrics = rankMetricsOf(given, rank);
    check(options);
    if (given.rankMetrics.empty())
      return;
  }
}

/// What is wrong with the data: of all ranks alike, as too few samples for
/// their shares. It is read for that, and let go.
static void checkData(const TrainOptions &options, const rt::Program &program,
                      uint32_t ranks) {
  rt::Entry entry = requireEntry(program, program::kStepEntry);
  data::Dataset dataset = loadDataset(entry, options.data.files, options.data);
  StepBatches batches(dataset, countMicroBatches(program), {0, ranks});
  batches.augment(options.data.augmentations);
  if (!options.evalFiles.empty())
    loadDataset(requireEntry(program, program::kForwardEntry),
                options.evalFiles, options.data,
                {.fileOption = "--eval-input"});
}

/// Whether ranks can read the files, each for itself.
static void checkRead(const TrainOptions &options) {
  NamePairs files = {{"the program", options.program.path},
                     {"--weights", options.weights},
                     {"--resume", options.resume}};
  for (const auto &[name, path] : options.data.files)
    files.push_back({"--input " + name, path});
  for (const auto &[name, path] : options.evalFiles)
    files.push_back({"--eval-input " + name, path});
  namespace fs = std::filesystem;
  for (const auto &[option, path] : files) {
    std::error_code error;
    if (path.empty())
      continue;
    if (access(path.c_str(), R_OK) != 0)
      throw badInput("'" + path +
                     "': cannot be opened: " + std::strerror(errno));
    if (!fs::is_regular_file(path, error) && !fs::is_directory(path, error))
      throw badOptions("train: expected a file for '" + option +
                       "', which each rank reads for itself, but '" + path +
                       "' is a pipe or a device");
  }
}

Expected<bool> mpc::train::checkRun(const TrainOptions &options,
                                    uint32_t ranks) {
  return guard([&] {
    checkOptions(options);
    TrainOptions begun = fromSaved(options);
    checkFilesOfAll(begun, ranks, [](const TrainOptions &each) {
      checkFiles(each);
      checkLocks(each);
    });
    checkRead(begun);
    if (!options.saving.folder.empty() && begun.resume.empty())
      checkOthers(options.saving.folder, 0, {}, isComplete);
    rt::Program program = loadProgram(options.program);
    checkCollectives(program, options.ranks.collectives);
    checkReduces(program, ranks);
    checkData(begun, program, ranks);
    return true;
  });
}

static TrainResult trainRank(const TrainOptions &given,
                             const ranks::Launch &launch, Observer &observer) {
  checkOptions(given);
  TrainOptions options = fromSaved(given);
  bool tellsTimes = RecordTimes::areWanted(options);
  if (launch.rank > 0)
    options = withoutFiles(options);
  else
    checkFilesOfAll(options, launch.size, checkFiles);
  options.rankMetrics = rankMetricsOf(options, launch.rank);
  checkFiles(options);
  TrainOptions own = options; // what this rank locks
  if (launch.rank > 0)
    own.saving.folder = "";
  checkLocks(own);
  // Loading may wait for pipes, and is ended by any signal; so no lock is
  // there yet, nor is one while a signal would leave it.
  MadeFolders made(own.saving.folder); // In front: gone when no lock is in it.
  std::optional<FileLocks> alone; // In front: released after the last write.
  Training training(options, launch, tellsTimes, observer);
  try {
    observer.onGuarded();
    alone.emplace(lockFiles(own));
    return training.run();
  } catch (...) {
    training.giveUp(currentFailure().what());
    throw;
  }
}

Expected<TrainResult> mpc::train::train(const TrainOptions &options,
                                        Observer &observer) {
  return guard([&] {
    ranks::Launch launch = readLaunch();
    checkLaunched(options.ranks, launch);
    if (launch.size == 1)
      return trainRank(options, launch, observer);
    try {
      if (launch.rank == 0)
        return trainRank(options, launch, observer);
      QuietObserver quiet(observer);
      return trainRank(options, launch, quiet);
    } catch (...) {
      Failure failure = currentFailure();
      std::string who = "rank " + std::to_string(launch.rank) + " of " +
                        std::to_string(launch.size);
      std::string what = failure.what(); // A collective tells it as well.
      if (size_t at = what.find(", on " + who + ","); at != what.npos)
        what.erase(at, who.size() + 5);
      throw Failure(failure.fault, who + ": " + what);
    }
  });
}

Expected<TrainResult> mpc::train::train(const TrainOptions &options) {
  Observer nobody;
  return train(options, nobody);
}
