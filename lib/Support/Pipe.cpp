#include "mpc/Support/Pipe.h"
#include "PipeSignal.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace mpc;

/// No pipe may fill the machine: what is larger than half of its memory cannot
/// be used either.
static uint64_t largest() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

// How often who waits for a writer asks whether to go on.
static constexpr std::chrono::milliseconds kTurn{100};

namespace {
enum class Event { Data, End, Nothing, NoWriter, Failed };
} // namespace

/// Waits for bytes, and appends them. Nothing: there is a writer, who is slow.
static Event readSome(int descriptor, std::chrono::milliseconds most,
                      std::vector<std::byte> &content) {
  pollfd wait = {descriptor, POLLIN, 0};
  int ready = poll(&wait, 1, static_cast<int>(most.count()));
  if (ready < 0)
    return errno == EINTR ? Event::Nothing : Event::Failed;
  std::byte piece[1 << 16];
  ssize_t count = read(descriptor, piece, sizeof piece);
  if (count < 0)
    return errno == EAGAIN || errno == EINTR ? Event::Nothing : Event::Failed;
  if (count == 0) // before the first writer a pipe is at its end, too
    return ready == 0 && content.empty() ? Event::NoWriter : Event::End;
  content.insert(content.end(), piece, piece + count);
  return Event::Data;
}

static Status failure(const std::string &name, const char *what) {
  return {errno == ENOENT ? StatusCode::NotFound : StatusCode::IoError,
          name + ": cannot be " + what + ": " + std::strerror(errno)};
}

/// What has an end, and comes to it.
static Status checkKind(mode_t mode, const std::string &name,
                        bool takesPipe = true) {
  if (S_ISREG(mode) || (takesPipe && S_ISFIFO(mode)))
    return {};
  return {StatusCode::InvalidArgument, name + ": expected a regular file" +
                                           (takesPipe ? " or a pipe" : "") +
                                           ", but got a " +
                                           (S_ISDIR(mode)    ? "directory"
                                            : S_ISFIFO(mode) ? "pipe"
                                                             : "device")};
}

static Result<ReadableFile> openKind(const std::string &path,
                                     const std::string &name, bool takesPipe) {
  // O_NONBLOCK: a pipe without a writer must not make us wait.
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return failure(name, "opened");
  struct stat facts;
  Status status = fstat(descriptor, &facts) == 0
                      ? checkKind(facts.st_mode, name, takesPipe)
                      : failure(name, "read");
  if (!status.ok()) {
    close(descriptor);
    return status;
  }
  if (S_ISFIFO(facts.st_mode))
    return ReadableFile{descriptor, true, 0};
  return ReadableFile{descriptor, false, static_cast<uint64_t>(facts.st_size)};
}

Result<ReadableFile> mpc::openForReading(const std::string &path,
                                         const std::string &name) {
  return openKind(path, name, /*takesPipe=*/true);
}

Result<int> mpc::openRegularFile(const std::string &path,
                                 const std::string &name) {
  Result<ReadableFile> file = openKind(path, name, /*takesPipe=*/false);
  if (!file)
    return file.status();
  return file->descriptor;
}

Status mpc::checkReadable(const std::string &path, const std::string &name) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0)
    return failure(name, "read");
  return checkKind(facts.st_mode, name);
}

static Status nobody(const std::string &name, const char *does,
                     std::chrono::milliseconds patience) {
  std::string seconds = std::to_string(patience.count() / 1000.0).substr(0, 3);
  return {StatusCode::IoError, name + ": expected a program that " + does +
                                   " this pipe, but there was none for " +
                                   seconds + " seconds; start it first"};
}

Result<std::vector<std::byte>> mpc::readPipe(int descriptor,
                                             const std::string &name,
                                             std::chrono::milliseconds patience,
                                             const IsOver &isOver) {
  std::vector<std::byte> content;
  std::chrono::milliseconds turn =
      isOver ? std::min(patience, kTurn) : patience;
  std::chrono::milliseconds waited{0}; // for the first writer
  auto outOfMemory = [&] {
    return Status(StatusCode::OutOfMemory,
                  name + ": no memory for the more than " +
                      std::to_string(content.size()) + " bytes of this pipe");
  };
  try {
    while (true) {
      if (isOver && isOver())
        return Status(StatusCode::IoError,
                      name + ": its reader was told to wait no longer");
      switch (readSome(descriptor, turn, content)) {
      case Event::Nothing:
        break;
      case Event::Data:
        if (content.size() > largest())
          return outOfMemory();
        break;
      case Event::End:
        return content;
      case Event::NoWriter:
        waited += turn;
        if (waited >= patience)
          return nobody(name, "writes to", patience);
        break;
      case Event::Failed:
        return Status(StatusCode::IoError,
                      name + ": cannot be read: " + std::strerror(errno));
      }
    }
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
}

Result<int> mpc::openPipeForWriting(const std::string &path,
                                    const std::string &name,
                                    std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  for (auto end = Clock::now() + patience;;) {
    int descriptor = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 && fcntl(descriptor, F_SETFL, O_WRONLY) == 0)
      return descriptor;
    int reason = errno;
    if (descriptor >= 0)
      close(descriptor);
    if (reason != ENXIO) // nobody reads
      return Status(StatusCode::IoError,
                    name + ": cannot be written: " + std::strerror(reason));
    if (Clock::now() >= end)
      return nobody(name, "reads from", patience);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool mpc::writeToPipe(int descriptor, std::span<const std::byte> bytes) {
  PipeSignalBlock guard;
  while (!bytes.empty()) {
    ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) { // somebody made it not to wait
      pollfd room = {descriptor, POLLOUT, 0};
      (void)poll(&room, 1, -1);
      continue;
    }
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}
