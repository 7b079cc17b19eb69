#include "RunFiles.h"

#include "../Failure.h"
#include "../Inputs.h"
#include "../Save/OutputFiles.h"
#include "../Save/SaveFiles.h"
#include "../Save/StepFolders.h"

#include "mpc/Support/Links.h"
#include "mpc/Train/Saved.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace mpc::train;
using Json = nlohmann::json;

namespace {
/// A file that a run writes.
struct WrittenFile {
  enum Use {
    Replaced, ///< As a whole.
    Grown,    ///< Line by line.
    Shared    ///< Replaced, and other runs may do the same.
  };
  std::string option, path; ///< "": it is not written.
  Use use;
};
} // namespace

/// Files beside a device or pipe are nobody's wish, a link to a device is
/// another device, and who reads a pipe takes one state, not one behind the
/// other.
static void checkIsFile(const SaveOptions &saving) {
  std::error_code error;
  auto status = std::filesystem::status(saving.file, error);
  if (!std::filesystem::exists(status) ||
      std::filesystem::is_regular_file(status))
    return;
  auto refuse = [&](const std::string &option, const std::string &does) {
    throw badOptions("train: '" + option + "' " + does + " '" + saving.file +
                     "', but that is a device, a pipe or a folder; "
                     "expected '--save' with the name of a file");
  };
  if (saving.best)
    refuse("--save-best", "makes a file beside");
  if (!saving.folder.empty())
    return; // which the others mean
  if (saving.keep)
    refuse("--keep", "makes files beside");
  if (saving.every)
    refuse("--save-every", "replaces the state in");
  if (saving.resumes)
    refuse("--resume-if-saved", "reads");
}

/// Whether the folder of --save-dir is there, or could be made; a wrong path
/// costs nothing.
static void checkFolderToMake(const std::string &folder) {
  if (folder.empty())
    return;
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path path = fs::absolute(folder, error).lexically_normal();
  if (!path.has_filename())
    path = path.parent_path(); // "a/"
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    throw badOptions("train: expected '--save-dir' to name a folder, but '" +
                     folder + "' is a file");
  if (!fs::exists(path, error))
    path = path.parent_path();
  if (access(path.c_str(), W_OK | X_OK) != 0)
    throw Failure(Fault::System, "'" + folder + "': cannot be written: " +
                                     std::strerror(errno));
}

/// A folder that a run makes is none of its files.
static void checkFolderIsNoFile(const std::string &folder,
                                const NamePairs &written) {
  std::optional<std::string> name =
      mpc::canonicalPath(std::filesystem::path(folder + "/").parent_path());
  for (const auto &[option, path] : written)
    if (name && !path.empty() && mpc::canonicalPath(path) == name)
      throw badOptions("train: expected '--save-dir' to name a folder of its "
                       "own, but '" +
                       folder + "' is the file of '" + option + "' too");
}

/// The step is not known yet of which a file would take the place of another.
static void checkStepFiles(const SaveOptions &saving, const NamePairs &others) {
  for (const auto &[option, path] : others)
    if (path != saving.file && makesStepFile(saving, path))
      throw badOptions("train: expected '" + option +
                       "' to name a file of its own, but '" + path +
                       "' is one that '--keep' makes of '" + saving.file + "'");
}

/// All that the run writes, but for files of single steps.
static std::vector<WrittenFile> writtenFiles(const TrainOptions &options) {
  std::vector<WrittenFile> list;
  for (const auto &[option, path] : savedFiles(options.saving))
    list.push_back({option, path, WrittenFile::Replaced});
  list.push_back({"--summary", options.summary, WrittenFile::Replaced});
  list.push_back({"--timeline", options.timeline, WrittenFile::Replaced});
  list.push_back({"--plans", options.device.plans, WrittenFile::Shared});
  for (const auto &[name, path] : options.outputs)
    list.push_back({"--output " + name, path, WrittenFile::Replaced});
  list.push_back({"--metrics", options.metrics, WrittenFile::Grown});
  list.push_back({"--rank-metrics", options.rankMetrics, WrittenFile::Grown});
  return list;
}

NamePairs mpc::train::replacedFiles(const TrainOptions &options) {
  NamePairs list;
  for (const WrittenFile &file : writtenFiles(options))
    if (file.use != WrittenFile::Grown)
      list.push_back({file.option, file.path});
  return list;
}

/// Whether the file is one JSON object that has `keys`, and nothing behind it.
static bool holdsObject(std::ifstream &file,
                        std::initializer_list<const char *> keys) {
  // What lies deeper is read and dropped: a timeline has thousands of events.
  auto isKept = [](int depth, Json::parse_event_t, Json &) {
    return depth < 2;
  };
  Json object = Json::parse(file, isKept, /*allow_exceptions=*/false);
  return std::ranges::all_of(
      keys, [&](const char *key) { return object.contains(key); });
}

/// One of our files takes the place of its like, or is new: what else a file
/// holds nobody meant to lose.
static void checkIsLike(const std::string &option, const std::string &what,
                        std::initializer_list<const char *> keys,
                        const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) == 0)
    return;
  std::ifstream file(path);
  if (!holdsObject(file, keys))
    throw badOptions("train: '" + path + "': expected '" + option +
                     "' to name a new file, or a " + what +
                     " of a run before, but got another file");
}

void mpc::train::checkFiles(const TrainOptions &options) {
  checkIsFile(options.saving);
  checkFolderToMake(options.saving.folder);
  NamePairs read = {{"MODEL.mpcx", options.program.path}};
  for (const auto &[name, path] : options.data.files)
    read.push_back({"--input", path});
  for (const auto &[name, path] : options.evalFiles)
    read.push_back({"--eval-input", path});
  // The state may go back where it came from: into a whole new file.
  NamePairs begins = {{"--weights", options.weights},
                      {"--resume", options.resume}};
  NamePairs saved = savedFiles(options.saving), written, others;
  for (const WrittenFile &file : writtenFiles(options)) {
    written.push_back({file.option, file.path});
    if (std::ranges::find(saved, written.back()) == saved.end())
      others.push_back(written.back());
  }
  if (!options.saving.folder.empty())
    checkFolderIsNoFile(options.saving.folder, written);
  checkNamedOnce("train", "--input", options.data.files);
  checkNamedOnce("train", "--eval-input", options.evalFiles);
  checkDistinctFiles("train", read, written);
  checkDistinctFiles("train", begins, others);
  checkStepFiles(options.saving, read);
  checkStepFiles(options.saving, written);
  checkTensorNames("train", options.outputs);
  checkWritable(written);
}

FileLocks mpc::train::lockFiles(const TrainOptions &options) {
  std::vector<std::string> own, shared;
  for (const WrittenFile &file : writtenFiles(options))
    (file.use == WrittenFile::Shared ? shared : own).push_back(file.path);
  makeFolder(options.saving.folder);
  own.push_back(folderLock(options.saving.folder));
  FileLocks locks(own, shared, options.saving.folder);
  checkIsLike("--summary", "summary", {"steps", "wall_seconds"},
              options.summary);
  checkIsLike("--timeline", "timeline", {"traceEvents"}, options.timeline);
  return locks;
}

void mpc::train::checkLocks(const TrainOptions &options) {
  std::vector<std::string> all;
  for (const WrittenFile &file : writtenFiles(options))
    all.push_back(file.path);
  all.push_back(folderLock(options.saving.folder));
  FileLocks({}, all, options.saving.folder);
}

struct SaveLocks::Body {
  MadeFolders made;
  FileLocks locks;
};

Expected<SaveLocks> SaveLocks::take(const SaveOptions &options) {
  return guard([&] {
    MadeFolders made(options.folder);
    makeFolder(options.folder);
    return SaveLocks(std::make_shared<Body>(Body{
        std::move(made),
        {{options.file, folderLock(options.folder)}, {}, options.folder}}));
  });
}

std::vector<int> SaveLocks::descriptors() const {
  return body->locks.descriptors();
}
