#include "FileLocks.h"

#include "../Failure.h"
#include "SaveOptions.h"

#include "mpc/Support/Links.h"

#include <filesystem>

using namespace mpc;
using namespace mpc::run;

/// A file, or what may become one.
static bool isFile(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  return !path.empty() && (!fs::exists(status) || fs::is_regular_file(status));
}

static void checkIsFree(const std::string &path) {
  std::optional<std::string> whole = canonicalPath(path);
  if (!whole)
    return; // whoever writes it tells why that fails
  requireWritten(WriterLock::checkFree(path));
  for (const std::string &owner : ownersOfStepFile(*whole))
    if (!WriterLock::checkFree(owner).ok())
      throw Failure(Exit::Failed,
                    "'" + path + "': another process saves to '" + owner +
                        "', and files of its steps have such names; give "
                        "each a file of its own");
}

FileLocks::FileLocks(const std::vector<std::string> &replaced,
                     const std::vector<std::string> &others) {
  // First, as our own locks would stand in the way of our own files.
  for (const auto *files : {&replaced, &others})
    for (const std::string &path : *files)
      if (isFile(path))
        checkIsFree(path);
  for (const std::string &path : replaced) {
    if (!isFile(path))
      continue;
    Result<WriterLock> taken = WriterLock::take(path);
    requireWritten(taken.status());
    locks.push_back(std::move(*taken));
  }
}
