// safetensors files: named tensors, nothing that could be executed.
//
//   u64 little-endian N; N bytes of JSON that begin with '{' and may end with
//   spaces; then the data buffer. The JSON maps names to
//   {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, offsets
//   being relative to the buffer; "__metadata__" maps strings to strings.
//
// A file is accepted only if N <= 100,000,000, no key occurs twice, and the
// tensors tile the buffer from its first to its last byte, without holes or
// overlaps, each with exactly the bytes of its shape and type.
#ifndef MPC_DATA_SAFETENSORS_H
#define MPC_DATA_SAFETENSORS_H

#include "mpc/Data/Tensor.h"

#include <map>
#include <string_view>

namespace mpc::data {

using Metadata = std::map<std::string, std::string, std::less<>>;

/// The value of "format" in the metadata of a checkpoint.
inline constexpr const char *kCheckpointFormat = "mpc checkpoint 1";

/// A tensor of a file that was read.
struct StoredTensor {
  std::string name;
  std::string dtype; ///< As in the file: "BF16".
  /// Nothing for types that this project does not compute with.
  std::optional<DType> type;
  Shape shape;
  std::span<const std::byte> bytes; ///< Into the file's buffer.
};

/// A file that was read and found sound.
struct Safetensors {
  std::map<std::string, StoredTensor, std::less<>> tensors;
  Metadata metadata;
  Bytes buffer; ///< Owns what the tensors point to.

  Safetensors() = default;
  Safetensors(Safetensors &&) = default;
  Safetensors &operator=(Safetensors &&) = default;
};

Result<Safetensors> readSafetensors(const std::string &path,
                                    const IsOver &isOver = {});
/// The file's metadata alone: its header is read and checked, no tensor.
Result<Metadata> readSafetensorsMetadata(const std::string &path);

/// A tensor to write; `bytes` must be those of its shape and type.
struct TensorToStore {
  std::string name;
  DType type;
  Shape shape;
  std::span<const std::byte> bytes;
};

/// Brings the tensors in the order in which writeSafetensors writes them, one
/// behind the other, and returns what is in front of them; `path` is for
/// messages.
Result<std::string> layOutSafetensors(const std::string &path,
                                      std::vector<TensorToStore> &tensors,
                                      const Metadata &metadata);

/// Writes the tensors (atomically, see writeFile): by falling alignment, then
/// by name; the buffer begins at a multiple of 8. Same input, same bytes.
Status writeSafetensors(OutputFile file, std::vector<TensorToStore> tensors,
                        const Metadata &metadata);

} // namespace mpc::data

#endif // MPC_DATA_SAFETENSORS_H
