#include "mpc/Train/Saved.h"

#include "../Failure.h"
#include "StepFolders.h"

#include "mpc/Data/Safetensors.h"
#include "mpc/Support/Number.h"

#include <functional>
#include <ranges>
#include <sys/stat.h>

using namespace mpc;
using namespace mpc::train;

/// Of a file or folder, which each save makes anew in the place of the one
/// before; "" where there is none of `type`.
static std::string versionOf(const std::string &path, mode_t type) {
  struct stat facts;
  std::string version;
  if (stat(path.c_str(), &facts) != 0 || (facts.st_mode & S_IFMT) != type)
    return version;
  for (auto number :
       {int64_t(facts.st_ino), int64_t(facts.st_size),
        int64_t(facts.st_mtim.tv_sec), int64_t(facts.st_mtim.tv_nsec)})
    version += std::to_string(number) + " ";
  return version;
}

static std::vector<StepFolder>
listThose(const std::string &folder,
          const std::function<bool(const StepFolder &)> &isOne) {
  std::vector<StepFolder> steps;
  try {
    if (!folder.empty())
      steps = listSteps(folder);
  } catch (const Failure &) { // the same
  }
  std::erase_if(steps, std::not_fn(isOne));
  return steps;
}

/// Those that may be whole.
static std::vector<StepFolder> listFinished(const std::string &folder) {
  return listThose(folder, [](const StepFolder &step) {
    return step.isFinished && hasManifest(step.path);
  });
}

/// Those of which something is left, where nothing better is: who goes on is
/// told, and does not begin anew.
static std::vector<StepFolder> listRemains(const std::string &folder) {
  return listThose(folder, wasComplete);
}

std::string mpc::train::findSavedSource(const SaveOptions &options) {
  if (!listFinished(options.folder).empty())
    return options.folder;
  if (!versionOf(options.file, S_IFREG).empty())
    return options.file;
  return listRemains(options.folder).empty() ? "" : options.folder;
}

/// Where none is whole any more the newest: it is not begun anew then.
static std::optional<SavedState> findStep(const std::string &folder,
                                          std::vector<StepFolder> steps) {
  if (steps.empty())
    return std::nullopt;
  auto whole = std::ranges::find_if(std::views::reverse(steps), isComplete);
  const StepFolder &step =
      whole == std::views::reverse(steps).end() ? steps.back() : *whole;
  return SavedState{folder, step.path, step.step,
                    versionOf(step.path, S_IFDIR)};
}

std::optional<SavedState> mpc::train::findSaved(const SaveOptions &options) {
  if (std::optional<SavedState> step =
          findStep(options.folder, listFinished(options.folder)))
    return step;
  std::string version = versionOf(options.file, S_IFREG);
  if (version.empty())
    return findStep(options.folder, listRemains(options.folder));
  SavedState saved{options.file, options.file, {}, version};
  if (auto metadata = data::readSafetensorsMetadata(options.file))
    if (auto steps = metadata->find("batches"); steps != metadata->end())
      saved.step = parseNumber<uint64_t>(steps->second);
  return saved;
}
