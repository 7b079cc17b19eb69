// Files as wholes: read completely, replaced completely.
#ifndef MPC_DATA_FILE_H
#define MPC_DATA_FILE_H

#include "mpc/Support/Pipe.h"
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
  static Result<InputFile> open(const std::string &path,
                                const IsOver &isOver = {});
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

/// A file that will be written, once. A regular file, or a name that is free
/// yet, is replaced whole, through a TemporaryFile: at any time it is the old
/// one or the new one. A device or a pipe of that name is written to directly.
///
/// What takes hours to make must not fail for want of a place that could have
/// been known to be none:
///
///   OutputFile file(path);
///   Status status = file.check(); // a wrong path costs nothing
///   ... read what is to be read ...
///   status = file.open();         // who is to read a pipe is there
///   ... hours ...
///   status = writeFile(std::move(file), parts);
class OutputFile {
public:
  /// From a path where one is to be written at once.
  OutputFile(std::string path) : name(std::move(path)) {}
  /// What somebody else has opened and will close; `name` is for messages.
  static OutputFile lend(int descriptor, std::string name);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  const std::string &path() const { return name; }
  /// Fails if writing would, as far as that can be known without waiting.
  Status check() const;
  /// Opens a device or a pipe, and waits for the pipe's reader. There is
  /// nothing to open of a file.
  Status open();
  /// Whether this is a device or a pipe that is open, or was lent.
  bool isOpen() const { return descriptor >= 0; }
  /// Of what is open. It stays this object's.
  int openDescriptor() const { return descriptor; }

private:
  friend Status writeFile(OutputFile,
                          std::span<const std::span<const std::byte>>);
  Status writeDirectly(std::span<const std::span<const std::byte>> parts);
  Status replace(std::span<const std::span<const std::byte>> parts) const;

  std::string name;
  int descriptor = -1;
  bool isLent = false;
};

/// Writes `parts`, one after the other, as `file`. A reader of a pipe that is
/// gone is an error, and no signal.
Status writeFile(OutputFile file,
                 std::span<const std::span<const std::byte>> parts);

} // namespace mpc::data

#endif // MPC_DATA_FILE_H
