#include "StepFolders.h"

#include "../Failure.h"

#include "mpc/Support/Number.h"
#include "mpc/Support/TemporaryFile.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <variant>

using namespace mpc;
using namespace mpc::train;
namespace fs = std::filesystem;

//===-- Names -------------------------------------------------------------===//

static constexpr std::string_view kStep = "step-", kUnfinished = ".unfinished";

/// In six digits or more, so that lists of names are in order.
static std::string nameOf(uint64_t step) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%06llu",
                static_cast<unsigned long long>(step));
  return std::string(kStep) + digits;
}

std::string mpc::train::stepFolder(const std::string &folder, uint64_t step) {
  return fs::path(folder) / nameOf(step);
}

std::string mpc::train::unfinishedFolder(const std::string &folder,
                                         uint64_t step) {
  return stepFolder(folder, step) + std::string(kUnfinished);
}

/// The step of a name as nameOf makes it.
static std::optional<StepFolder> readName(const fs::path &path) {
  std::string name = path.filename();
  StepFolder found{0, !name.ends_with(kUnfinished), path};
  if (!found.isFinished)
    name.resize(name.size() - kUnfinished.size());
  if (!name.starts_with(kStep))
    return std::nullopt;
  auto step =
      parseNumber<uint64_t>(std::string_view(name).substr(kStep.size()));
  if (!step || nameOf(*step) != name)
    return std::nullopt;
  found.step = *step;
  return found;
}

std::vector<StepFolder> mpc::train::listSteps(const std::string &folder) {
  std::vector<StepFolder> list;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (std::optional<StepFolder> step = readName(entry->path()))
      list.push_back(std::move(*step));
  if (error && error != std::errc::no_such_file_or_directory)
    throw badInput("'" + folder + "': cannot be read: " + error.message());
  std::ranges::sort(list, {}, [](const StepFolder &step) {
    return std::pair(step.step, step.isFinished);
  });
  return list;
}

//===-- Finding -----------------------------------------------------------===//

CheckpointFiles mpc::train::openCheckpoint(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {path, std::nullopt};
  return {path, checkFolder(path)};
}

/// Why `step` cannot be gone on from, or what it holds.
static std::variant<Manifest, std::string> tryStep(const StepFolder &step) {
  if (!step.isFinished)
    return "'" + step.path + "': its run ended before it was complete";
  try {
    return checkFolder(step.path);
  } catch (const Failure &failure) {
    return failure.what();
  }
}

CheckpointFiles mpc::train::findCheckpoint(
    const std::string &path,
    const std::function<void(const std::string &)> &tell) {
  std::error_code error;
  if (!fs::is_directory(path, error) || hasManifest(path))
    return openCheckpoint(path);
  std::vector<StepFolder> steps = listSteps(path);
  if (steps.empty())
    throw badInput("'" + path +
                   "': expected a checkpoint, but this folder has neither a "
                   "manifest.json nor folders of steps (step-000500)");
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    auto found = tryStep(*step);
    if (auto *manifest = std::get_if<Manifest>(&found))
      return {step->path, std::move(*manifest)};
    tell("passed over: " + std::get<std::string>(found));
  }
  throw badInput("'" + path +
                 "': expected a complete checkpoint, but none of its folders "
                 "of steps is one");
}

bool mpc::train::isComplete(const StepFolder &step) {
  try {
    checkFolder(step.path);
    return true;
  } catch (const Failure &) { // of which training says what is wrong
    return false;
  }
}

void mpc::train::checkOthers(
    const std::string &folder, uint64_t first, std::optional<uint64_t> own,
    const std::function<bool(const StepFolder &)> &isComplete) {
  for (const StepFolder &step : listSteps(folder))
    if (step.isFinished && step.step >= first && step.step != own &&
        isComplete(step))
      throw badOptions(
          "train: '--save-dir': '" + step.path +
          "' is a checkpoint of another run, and this one begins at step " +
          std::to_string(first) + "; '--resume=" + folder +
          "' goes on from the newest; else give another folder, or remove "
          "what is not to stay");
}

//===-- Removing ----------------------------------------------------------===//

/// "rank-0-of-2.safetensors", and what is beside it while it is written.
static bool isWritten(const std::string &name) {
  return name.starts_with("manifest.json") ||
         (name.starts_with("rank-") &&
          name.find(".safetensors") != std::string::npos);
}

static std::vector<fs::path> listWritten(const std::string &path) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (isWritten(entry->path().filename()))
      files.push_back(entry->path());
  return files;
}

bool mpc::train::wasComplete(const StepFolder &step) {
  return step.isFinished && !listWritten(step.path).empty();
}

static void removeFiles(const std::string &path,
                        const std::set<std::string> &kept) {
  std::vector<fs::path> files = listWritten(path);
  std::erase_if(files, [&](const fs::path &file) {
    return kept.contains(file.filename());
  });
  std::error_code error;
  for (const fs::path &file : files)
    fs::remove(file, error); // what stays, the folder tells
}

void mpc::train::makeFolder(const std::string &folder) {
  std::vector<fs::path> around;
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error))
    return;
  fs::path path = fs::absolute(folder, error);
  for (; !error && !path.empty() && !fs::exists(path, error) &&
         path.has_relative_path();
       path = path.parent_path())
    around.push_back(path.parent_path());
  fs::create_directories(folder, error);
  if (error)
    throw Failure(Fault::System,
                  "'" + folder + "': cannot be made: " + error.message());
  for (const fs::path &each : around)
    flushFolder(each);
}

MadeFolders::MadeFolders(const std::string &folder) {
  std::error_code error;
  fs::path path = folder.empty() ? fs::path() : fs::absolute(folder, error);
  if (!error && !path.has_filename())
    path = path.parent_path(); // "a/"
  for (; !error && path.has_relative_path() && !fs::exists(path, error);
       path = path.parent_path())
    missing.push_back(path);
}

MadeFolders::~MadeFolders() {
  std::error_code error;
  for (const std::string &path : missing)
    if (!fs::is_directory(path, error) || !fs::remove(path, error))
      return; // it is none, or has something in it
}

void mpc::train::removeFolder(const std::string &path) {
  removeFiles(path, {});
  std::error_code error;
  fs::remove(path, error);
  if (error)
    throw Failure(Fault::System,
                  "'" + path + "': cannot be removed: " + error.message());
}

void mpc::train::removeOthers(const std::string &path, size_t ranks) {
  std::set<std::string> known;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    known.insert(shardName(rank, ranks));
  removeFiles(path, known);
}

void mpc::train::removeStep(const std::string &folder, const StepFolder &step) {
  std::string path = unfinishedFolder(folder, step.step);
  if (step.isFinished) {
    removeFolder(path);
    std::error_code error;
    fs::rename(step.path, path, error);
    if (error)
      throw Failure(Fault::System, "'" + step.path + "': cannot be renamed: " +
                                       error.message());
    flushFolder(folder);
  }
  removeFolder(path);
}
