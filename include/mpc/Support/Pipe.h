// Reading from a pipe (a FIFO, or a process substitution of the shell) what is
// read from files as a whole, and writing to one.
//
// A pipe that has nobody at its other end would be waited for for ever. So it
// is opened without waiting, and somebody must come within seconds; whoever is
// there may take his time. Files that a user names to be read are opened here.
#ifndef MPC_SUPPORT_PIPE_H
#define MPC_SUPPORT_PIPE_H

#include "mpc/Support/Status.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mpc {

/// How long a pipe without a writer, or without a reader, is waited for.
constexpr std::chrono::milliseconds kPipePatience{3000};

/// What is read whole: a regular file, or a pipe that has not been waited for.
/// Whoever opened it closes it.
struct ReadableFile {
  int descriptor = -1;
  bool isPipe = false;
  uint64_t bytes = 0; ///< Of a regular file.
};

/// Opens `path` for reading. Fails for a directory and for a device, which may
/// have no end. The messages of failures begin with `name`.
Result<ReadableFile> openForReading(const std::string &path,
                                    const std::string &name);

/// The same for what must be there to be read again, as by each rank: fails for
/// a pipe, too. A descriptor that the caller closes.
Result<int> openRegularFile(const std::string &path, const std::string &name);

/// Fails as openForReading does for what `path` is, and opens nothing: a pipe's
/// writer would see its reader go.
Status checkReadable(const std::string &path, const std::string &name);

/// Asked some times a second while a writer is waited for: whether to fail, and
/// wait no longer. Null: never.
using IsOver = std::function<bool()>;

/// Reads to the end of a pipe that was opened with O_RDONLY | O_NONBLOCK. The
/// messages of failures begin with `name`.
Result<std::vector<std::byte>>
readPipe(int descriptor, const std::string &name,
         std::chrono::milliseconds patience = kPipePatience,
         const IsOver &isOver = {});

/// A descriptor for writing to the pipe `path`; writes to it wait for the
/// reader. The messages of failures begin with `name`.
Result<int>
openPipeForWriting(const std::string &path, const std::string &name,
                   std::chrono::milliseconds patience = kPipePatience);

/// Writes all of `bytes` to a pipe, or to whatever else is open there; where
/// that is false, errno tells why. Of a reader that is gone it says so (EPIPE),
/// and nobody gets a SIGPIPE, which would end most processes.
bool writeToPipe(int descriptor, std::span<const std::byte> bytes);

} // namespace mpc

#endif // MPC_SUPPORT_PIPE_H
