#include "FileLocks.h"

#include "../Failure.h"
#include "SaveFiles.h"

#include "mpc/Support/Links.h"

#include <filesystem>
#include <map>

using namespace mpc;
using namespace mpc::train;

std::string mpc::train::folderLock(const std::string &folder) {
  return folder.empty() ? "" : std::filesystem::path(folder) / "steps";
}

/// A file, or what may become one.
static bool isFile(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  return !path.empty() && (!fs::exists(status) || fs::is_regular_file(status));
}

/// Who loses a lock has nothing to begin with, and would not another time;
/// nobody has one that cannot be made.
static void requireLock(const mpc::Status &status, const std::string &path,
                        const std::string &folder) {
  if (!status.ok())
    throw Failure(WriterLock::checkFree(path, folder).ok() ? Fault::System
                                                           : Fault::Busy,
                  status.message());
}

/// Steps of another run may be called so.
static void checkOwners(const std::string &path, const std::string &whole) {
  for (const std::string &owner : ownersOfStepFile(whole))
    if (mpc::Status free = WriterLock::checkFree(owner); !free.ok())
      throw Failure(Fault::Busy, "'" + path + "': files of steps of '" + owner +
                                     "' have such names, and " +
                                     free.message());
}

FileLocks::FileLocks(const std::vector<std::string> &written,
                     const std::vector<std::string> &shared,
                     const std::string &folder) {
  auto folderOf = [&](const std::string &path) {
    return path == folderLock(folder) ? folder : "";
  };
  // In one order, whoever asks: of several that start at once and have files in
  // common one gets on. By their one name each.
  std::map<std::string, std::string> files;
  for (const auto *paths : {&written, &shared})
    for (const std::string &path : *paths)
      if (std::optional<std::string> whole = canonicalPath(path);
          whole &&
          isFile(path)) { // else whoever writes it tells why that fails
        checkOwners(path, *whole);
        if (paths == &written)
          files.try_emplace(*whole, path);
        else
          requireLock(WriterLock::checkFree(path, folderOf(path)), path,
                      folderOf(path));
      }
  for (const auto &[whole, path] : files) {
    Result<WriterLock> taken = WriterLock::take(path, folderOf(path));
    requireLock(taken.status(), path, folderOf(path));
    locks.push_back(std::move(*taken));
  }
}

std::vector<int> FileLocks::descriptors() const {
  std::vector<int> numbers;
  for (const WriterLock &lock : locks)
    numbers.push_back(lock.descriptor());
  return numbers;
}
