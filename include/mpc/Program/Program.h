// The program file (.mpcx), the treaty between compiler and runtime. The
// compiler fills a ProgramT (generated from Program.fbs) and calls
// serialize + writeFile; the runtime opens a ProgramFile, which has been
// verified down to the last index when it exists.
//
// Layout: a header of 64 bytes, then one FlatBuffers buffer of Program. All
// numbers little-endian. docs/Program.md tells the rest.
//
//   bytes  0..8   magic "MPCX\r\n\x1a\n" (a transfer as text breaks it)
//   bytes  8..12  format version
//   bytes 12..16  bytes of the header, 64
//   bytes 16..24  bytes of the payload
//   bytes 24..32  XXH64 of the payload, seed 0
//   bytes 32..64  zero
#ifndef MPC_PROGRAM_PROGRAM_H
#define MPC_PROGRAM_PROGRAM_H

#include "mpc/Program/Program_generated.h"
#include "mpc/Support/Labels.h"
#include "mpc/Support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mpc::program {

/// Raised with every change that an older reader would misunderstand.
constexpr uint32_t kFormatVersion = 5;
/// The oldest version that this reader still understands.
constexpr uint32_t kOldestFormatVersion = 1;
/// State tensors, and the arena as a whole, start at multiples of this.
constexpr uint64_t kAlignment = 256;
/// Number of a record that has no name.
constexpr uint32_t kNoName = UINT32_MAX;
/// Number of the tail of a call that has none.
constexpr uint32_t kNoKernel = UINT32_MAX;

/// The bytes of a whole file. `program.format_version` is set here. Fails with
/// InvalidProgram if a reader would refuse the result.
Result<std::vector<uint8_t>> serialize(ProgramT &program);

/// Replaces `path` by `bytes`, or leaves it as it was: the bytes go to a
/// temporary file beside it, which is synced and renamed.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);
/// Fails as writeFile does for what is, or is not, at `path`.
Status checkWritable(const std::string &path);

/// A verified program file in memory (64-byte aligned). Immutable.
class ProgramFile {
public:
  using Targets = std::span<const std::string_view>;
  /// Reads and verifies a file. `targets`: what the caller can run ("cpu").
  static Result<ProgramFile> open(const std::string &path, Targets targets);
  /// Copies and verifies `bytes`; `origin` names them in messages.
  static Result<ProgramFile> copy(std::span<const uint8_t> bytes,
                                  Targets targets,
                                  std::string_view origin = "program");

  const Program &operator*() const { return *root; }
  const Program *operator->() const { return root; }
  /// Of the file.
  uint64_t bytes() const { return size; }
  /// What state `index` belongs to, or "". Its `of` says so; before version 3
  /// that named parameters only, and names said the rest.
  const char *ownerOf(uint32_t index) const;

private:
  struct Free {
    void operator()(uint8_t *memory) const;
  };
  using Buffer = std::unique_ptr<uint8_t, Free>;
  static Result<ProgramFile> take(Buffer memory, uint64_t size, Targets targets,
                                  std::string_view origin);
  static Buffer allocate(uint64_t size);
  Status check(Targets targets);
  Status appendCalls(uint64_t &size);

  Buffer memory;
  uint64_t size = 0;
  const Program *root = nullptr;
  std::vector<std::string> owners; ///< That names of an old file say, or "".
};

/// What the FlatBuffers verifier cannot know: every offset, size, index,
/// shape and enum of `program` makes sense together. Run by ProgramFile.
Status verifyProgram(const Program &program);

/// Bytes of a dense tensor; nothing if a dim is negative or it overflows.
std::optional<uint64_t> getTensorBytes(ElementType type,
                                       std::span<const int64_t> shape);
/// "64x128xf32".
std::string formatTensor(ElementType type, std::span<const int64_t> shape);
/// Which labels an input takes; nothing if it holds none.
std::optional<LabelRange> labelRangeOf(const Tensor &input);
/// A vector of numbers of the file as a span; empty if it is absent. Vectors of
/// structs and tables hold no pointers, whatever their type says.
template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
std::span<const T> toSpan(const flatbuffers::Vector<T> *vector) {
  if (!vector)
    return {};
  return {vector->data(), vector->size()};
}

} // namespace mpc::program

#endif // MPC_PROGRAM_PROGRAM_H
