#include "mpc/Program/Program.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;

namespace {
/// A file beside the target that disappears unless it is renamed.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &target)
      : path(target + ".XXXXXX"), number(mkostemp(path.data(), O_CLOEXEC)) {}
  ~TemporaryFile() {
    if (number >= 0)
      close(number);
    if (number >= 0 && !renamed)
      unlink(path.c_str());
  }

  bool opened() const { return number >= 0; }
  bool write(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
      ssize_t now = ::write(number, bytes.data(), bytes.size());
      if (now < 0 && errno != EINTR)
        return false;
      if (now > 0)
        bytes = bytes.subspan(static_cast<size_t>(now));
    }
    return true;
  }
  /// mkstemp makes files private; a program file is as public as any other.
  bool publish(const std::string &target) {
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(number, 0666 & ~mask) != 0 || fsync(number) != 0)
      return false;
    renamed = rename(path.c_str(), target.c_str()) == 0;
    return renamed;
  }

private:
  std::string path;
  int number;
  bool renamed = false;
};
} // namespace

/// Whether a rename onto `path` would put a file in the place of a device, a
/// pipe or a folder.
static bool isSpecial(const std::string &path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

/// Makes the rename itself survive a power cut.
static void syncFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int number = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0)
    return;
  (void)fsync(number);
  close(number);
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
  if (!file.write(bytes))
    return failure("write it");
  if (!file.publish(path))
    return failure("finish writing");
  syncFolder(path);
  return {};
}
