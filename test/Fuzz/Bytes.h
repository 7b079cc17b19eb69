// Inputs as files: readers of the project take paths.
#ifndef MPC_TEST_FUZZ_BYTES_H
#define MPC_TEST_FUZZ_BYTES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpc::fuzz {

using Input = std::span<const uint8_t>;

/// A file in memory that holds `input`, for as long as the object lives.
class MemoryFile {
public:
  explicit MemoryFile(Input input);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string path() const;

private:
  int file;
};

/// A path that may be written, in a folder of this process in memory (/dev/shm)
/// that goes with it.
class ScratchFile {
public:
  explicit ScratchFile(const char *name);
  std::string path() const { return name; }

private:
  std::string name;
};

/// Ends the driver with `what`, which libFuzzer reports as a crash of the
/// input, unless `holds`.
void require(bool holds, const char *what);

} // namespace mpc::fuzz

#endif // MPC_TEST_FUZZ_BYTES_H
