// Files as wholes: read completely, replaced completely.
#ifndef MPC_DATA_FILE_H
#define MPC_DATA_FILE_H

#include "mpc/Support/Status.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpc::data {

using Bytes = std::vector<std::byte>;

/// A file opened for reading, its size known before anything is read. A pipe is
/// read to its end when it is opened.
class InputFile {
public:
  static Result<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&) = delete;
  ~InputFile();

  uint64_t size() const { return bytes; }
  const std::string &path() const { return name; }
  /// Reads the next `count` bytes; the caller has compared with the size, so
  /// fewer bytes mean that the file shrank meanwhile, which is an error.
  Result<Bytes> read(uint64_t count);

private:
  InputFile(int descriptor, uint64_t bytes, std::string name)
      : descriptor(descriptor), bytes(bytes), name(std::move(name)) {}
  int descriptor;
  uint64_t bytes;
  std::string name;
  std::optional<Bytes> piped; ///< What came through a pipe,
  uint64_t taken = 0;         ///< and how much of it was read.
};

/// Writes `parts`, one after the other, as the file `path`, through a
/// TemporaryFile: at any time it is the old file or the new one.
/// A device or pipe that exists under that name is written to directly.
Status writeFile(const std::string &path,
                 std::span<const std::span<const std::byte>> parts);

/// Fails if writeFile(path) would, as far as that can be known before there is
/// anything to write: for a file that is the result of hours.
Status checkWritable(const std::string &path);

} // namespace mpc::data

#endif // MPC_DATA_FILE_H
