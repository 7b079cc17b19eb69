// The folders of --save-dir, one for each step (Manifest.h): their names, which
// there are, and which a run goes on from.
#ifndef MPC_LIB_TRAIN_SAVE_STEPFOLDERS_H
#define MPC_LIB_TRAIN_SAVE_STEPFOLDERS_H

#include "Manifest.h"

#include "mpc/Train/Options.h"

#include <functional>
#include <optional>

namespace mpc::train {

/// "folder/step-000120".
std::string stepFolder(const std::string &folder, uint64_t step);
/// "folder/step-000120.unfinished": while it is written, or removed.
std::string unfinishedFolder(const std::string &folder, uint64_t step);

struct StepFolder {
  uint64_t step = 0;
  bool isFinished = false; ///< By its name.
  std::string path;
};
/// The oldest first. None where there is no such folder.
std::vector<StepFolder> listSteps(const std::string &folder);

/// SavedState::source of what findSaved finds, without a look at what the files
/// hold; "" where there is nothing.
std::string findSavedSource(const SaveOptions &options);

/// Where a state is read from.
struct CheckpointFiles {
  std::string path;                 ///< A file, or a folder of one step,
  std::optional<Manifest> manifest; ///< which was compared with its manifest.
};
/// A file as it is; a folder of one step that is complete.
CheckpointFiles openCheckpoint(const std::string &path);
/// The same, or in a folder of steps the newest that is complete: of those
/// before that one, `tell` gets a line each that says what is wrong.
CheckpointFiles
findCheckpoint(const std::string &path,
               const std::function<void(const std::string &)> &tell);

/// Fails where `folder` has a step of another run that this one, which begins
/// behind step `first`, would come to; `own` is this run's.
void checkOthers(const std::string &folder, uint64_t first,
                 std::optional<uint64_t> own,
                 const std::function<bool(const StepFolder &)> &isComplete);
bool isComplete(const StepFolder &step);
/// Whether it has been, by its name, and something of it is left.
bool wasComplete(const StepFolder &step);

/// Makes a folder where there is none, with those that it lies in; each is to
/// survive a power cut in the one around it. Of "": nothing.
void makeFolder(const std::string &folder);
/// What `makeFolder` will make, or makes while this lives: those that are empty
/// in the end go again, as that of a run that failed before it saved anything.
class MadeFolders {
public:
  explicit MadeFolders(const std::string &folder);
  MadeFolders(MadeFolders &&) = default;
  ~MadeFolders();

private:
  std::vector<std::string> missing; ///< The innermost first.
};
/// Removes what runs have written to the folder of a step, and the folder. One
/// that holds more is somebody's, and stays, as a Failure says.
void removeFolder(const std::string &path);
/// The same of what is not of `ranks` ranks: a run that was killed has left it.
void removeOthers(const std::string &path, size_t ranks);
/// Under a name that nobody takes for a checkpoint first: what a process that
/// is killed meanwhile leaves is none.
void removeStep(const std::string &folder, const StepFolder &step);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_STEPFOLDERS_H
