#include "mpc/Data/File.h"
#include "mpc/Support/Links.h"
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

Result<InputFile> InputFile::open(const std::string &path,
                                  const IsOver &isOver) {
  std::string name = "'" + path + "'";
  Result<ReadableFile> opened = openForReading(path, name);
  if (!opened)
    return opened.status();
  int descriptor = opened->descriptor;
  if (!opened->isPipe)
    return InputFile(descriptor, opened->bytes, path);
  Result<Bytes> content = readPipe(descriptor, name, kPipePatience, isOver);
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

namespace {
enum class Target { File, Pipe, Device, Open };
} // namespace

/// What a write to `path` would write to.
static Result<Target> findTarget(const std::string &path) {
  if (descriptorOf(path))
    return Target::Open;
  struct stat old;
  if (stat(path.c_str(), &old) != 0 || S_ISREG(old.st_mode))
    return Target::File;
  if (S_ISDIR(old.st_mode))
    return Status(StatusCode::IoError,
                  "'" + path + "': cannot be written: it is a directory");
  return S_ISFIFO(old.st_mode) ? Target::Pipe : Target::Device;
}

OutputFile OutputFile::lend(int descriptor, std::string name) {
  OutputFile file(std::move(name));
  file.descriptor = descriptor;
  file.isLent = true;
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : name(std::move(other.name)),
      descriptor(std::exchange(other.descriptor, -1)), isLent(other.isLent) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0 && !isLent)
    close(descriptor);
}

Status OutputFile::check() const {
  Result<Target> target = findTarget(name);
  if (!target)
    return target.status();
  bool good = *target == Target::File ? TemporaryFile(name).opened()
                                      : access(name.c_str(), W_OK) == 0;
  return good ? Status()
              : systemFailure(StatusCode::IoError, name, "cannot be written");
}

Status OutputFile::open() {
  Result<Target> target = findTarget(name);
  if (!target || *target == Target::File || isOpen())
    return target.status();
  if (*target == Target::Open) {
    descriptor = fcntl(*descriptorOf(name), F_DUPFD_CLOEXEC, 0);
    return isOpen()
               ? Status()
               : systemFailure(StatusCode::IoError, name, "cannot be written");
  }
  if (*target == Target::Pipe) {
    Result<int> pipe = openPipeForWriting(name, "'" + name + "'");
    if (pipe)
      descriptor = *pipe;
    return pipe.status();
  }
  descriptor = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  return isOpen()
             ? Status()
             : systemFailure(StatusCode::IoError, name, "cannot be opened");
}

Status
OutputFile::writeDirectly(std::span<const std::span<const std::byte>> parts) {
  bool good = true;
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = writeToPipe(descriptor, parts[i]);
  if (good && !isLent) // what a device says of a write may come with the last
    good = close(std::exchange(descriptor, -1)) == 0;
  return good ? Status()
              : systemFailure(StatusCode::IoError, name, "cannot be written");
}

Status
OutputFile::replace(std::span<const std::span<const std::byte>> parts) const {
  TemporaryFile file(name);
  bool good = file.opened();
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = file.write(parts[i]);
  if (!good || !file.publish())
    return systemFailure(StatusCode::IoError, name, "cannot be written");
  return Status();
}

Status mpc::data::writeFile(OutputFile file,
                            std::span<const std::span<const std::byte>> parts) {
  if (Status status = file.open(); !status.ok())
    return status;
  return file.isOpen() ? file.writeDirectly(parts) : file.replace(parts);
}
