#include "mpc/Train/Saved.h"

#include "mpc/Data/Safetensors.h"
#include "mpc/Support/Number.h"

#include <sys/stat.h>

using namespace mpc;
using namespace mpc::train;

std::optional<SavedState> mpc::train::findSaved(const SaveOptions &options) {
  struct stat facts;
  if (options.file.empty() || stat(options.file.c_str(), &facts) != 0 ||
      !S_ISREG(facts.st_mode))
    return std::nullopt;
  SavedState saved{options.file, {}, {}};
  // Each save is a new file in the place of the one before.
  for (auto number :
       {int64_t(facts.st_ino), int64_t(facts.st_size),
        int64_t(facts.st_mtim.tv_sec), int64_t(facts.st_mtim.tv_nsec)})
    saved.version += std::to_string(number) + " ";
  if (auto metadata = data::readSafetensorsMetadata(options.file))
    if (auto steps = metadata->find("batches"); steps != metadata->end())
      saved.step = parseNumber<uint64_t>(steps->second);
  return saved;
}
