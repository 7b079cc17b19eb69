#include "mpc/Program/Program.h"
#include "mpc/Support/TemporaryFile.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

using namespace mpc;

/// Whether a rename onto `path` would put a file in the place of a device, a
/// pipe or a folder.
static bool isSpecial(const std::string &path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

Status program::writeFile(const std::string &path,
                          std::span<const uint8_t> bytes) {
  auto failure = [&](const char *action) {
    return Status(StatusCode::IoError, path + ": could not " + action + ": " +
                                           std::strerror(errno) +
                                           "; nothing was changed");
  };
  if (isSpecial(path))
    return Status(StatusCode::IoError,
                  path + ": expected a file or a new name, but it is a device, "
                         "a pipe or a folder; nothing was changed");
  TemporaryFile file(path);
  if (!file.opened())
    return failure("create a file beside it");
  if (!file.write(std::as_bytes(bytes)))
    return failure("write it");
  if (!file.publish())
    return failure("finish writing");
  return {};
}
