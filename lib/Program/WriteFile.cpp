#include "mpc/Program/Program.h"
#include "mpc/Support/Links.h"
#include "mpc/Support/TemporaryFile.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

using namespace mpc;

/// Whether a rename onto `path` would put a file in the place of a device, a
/// pipe or a folder, or of a file that is open as /dev/stdout.
static bool isSpecial(const std::string &path) {
  struct stat found;
  return descriptorOf(path) ||
         (stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode));
}

static Status failure(const std::string &path, const char *action) {
  return {StatusCode::IoError, path + ": could not " + action + ": " +
                                   std::strerror(errno) +
                                   "; nothing was changed"};
}

static Status refuseSpecial(const std::string &path) {
  if (!isSpecial(path))
    return {};
  return {StatusCode::IoError,
          path + ": expected a file or a new name, but it is a device, a pipe "
                 "or a folder; nothing was changed"};
}

static Status requireOpened(const std::string &path,
                            const TemporaryFile &file) {
  return file.opened() ? Status() : failure(path, "create a file beside it");
}

Status program::checkWritable(const std::string &path) {
  Status status = refuseSpecial(path);
  return status.ok() ? requireOpened(path, TemporaryFile(path)) : status;
}

Status program::writeFile(const std::string &path,
                          std::span<const uint8_t> bytes) {
  if (Status status = refuseSpecial(path); !status.ok())
    return status;
  TemporaryFile file(path);
  if (Status status = requireOpened(path, file); !status.ok())
    return status;
  if (!file.write(std::as_bytes(bytes)))
    return failure(path, "write it");
  if (!file.publish())
    return failure(path, "finish writing");
  return {};
}
