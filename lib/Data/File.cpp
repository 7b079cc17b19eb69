#include "mpc/Data/File.h"
#include "mpc/Support/Pipe.h"
#include "mpc/Support/TemporaryFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::data;

static Status systemFailure(StatusCode code, const std::string &path,
                            const std::string &what) {
  return Status(code, "'" + path + "': " + what + ": " + std::strerror(errno));
}

//===-- Reading -----------------------------------------------------------===//

Result<InputFile> InputFile::open(const std::string &path) {
  std::string name = "'" + path + "'";
  Result<ReadableFile> opened = openForReading(path, name);
  if (!opened)
    return opened.status();
  int descriptor = opened->descriptor;
  if (!opened->isPipe)
    return InputFile(descriptor, opened->bytes, path);
  Result<Bytes> content = readPipe(descriptor, name);
  if (!content) {
    close(descriptor);
    return content.status();
  }
  InputFile file(descriptor, content->size(), path);
  file.piped = std::move(*content);
  return file;
}

InputFile::InputFile(InputFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), bytes(other.bytes),
      name(std::move(other.name)), piped(std::move(other.piped)),
      taken(other.taken) {}

InputFile::~InputFile() {
  if (descriptor >= 0)
    close(descriptor);
}

Result<Bytes> InputFile::read(uint64_t count) {
  Bytes content;
  try {
    content.resize(count);
  } catch (const std::exception &) {
    return Status(StatusCode::OutOfMemory, "'" + name + "': no memory for " +
                                               std::to_string(count) +
                                               " bytes");
  }
  uint64_t done = 0;
  if (piped) {
    done = std::min<uint64_t>(count, piped->size() - taken);
    std::copy_n(piped->begin() + static_cast<ptrdiff_t>(taken), done,
                content.begin());
    taken += done;
  }
  while (done < count) {
    ssize_t got = ::read(descriptor, content.data() + done, count - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemFailure(StatusCode::IoError, name, "cannot be read");
    if (got == 0)
      return Status(StatusCode::Truncated,
                    "'" + name + "': ends " + std::to_string(count - done) +
                        " bytes too early, another program is changing it");
    done += static_cast<uint64_t>(got);
  }
  return content;
}

//===-- Writing -----------------------------------------------------------===//

static bool writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

static bool writeParts(int descriptor,
                       std::span<const std::span<const std::byte>> parts) {
  for (std::span<const std::byte> part : parts)
    if (!writeAll(descriptor, part))
      return false;
  return true;
}

static Result<int> openDevice(const std::string &path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode))
    return openPipeForWriting(path, "'" + path + "'");
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemFailure(StatusCode::IoError, path, "cannot be opened");
  return descriptor;
}

static Status writeToDevice(const std::string &path,
                            std::span<const std::span<const std::byte>> parts) {
  Result<int> opened = openDevice(path);
  if (!opened)
    return opened.status();
  int descriptor = *opened;
  Status status;
  if (!writeParts(descriptor, parts))
    status = systemFailure(StatusCode::IoError, path, "cannot be written");
  if (close(descriptor) != 0 && status.ok())
    status = systemFailure(StatusCode::IoError, path, "cannot be written");
  return status;
}

namespace {
enum class Target { File, Device };
} // namespace

/// What a write to `path` would write to.
static Result<Target> findTarget(const std::string &path) {
  struct stat old;
  if (stat(path.c_str(), &old) != 0 || S_ISREG(old.st_mode))
    return Target::File;
  if (S_ISDIR(old.st_mode))
    return Status(StatusCode::IoError,
                  "'" + path + "': cannot be written: it is a directory");
  return Target::Device;
}

Status mpc::data::checkWritable(const std::string &path) {
  Result<Target> target = findTarget(path);
  if (!target)
    return target.status();
  bool good = *target == Target::File ? TemporaryFile(path).opened()
                                      : access(path.c_str(), W_OK) == 0;
  return good ? Status()
              : systemFailure(StatusCode::IoError, path, "cannot be written");
}

Status mpc::data::writeFile(const std::string &path,
                            std::span<const std::span<const std::byte>> parts) {
  Result<Target> target = findTarget(path);
  if (!target)
    return target.status();
  if (*target == Target::Device)
    return writeToDevice(path, parts);
  TemporaryFile file(path);
  bool good = file.opened();
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = file.write(parts[i]);
  if (!good || !file.publish())
    return systemFailure(StatusCode::IoError, path, "cannot be written");
  return Status();
}
