// Hashes of what must not change unseen: XXH3 of 64 bits, as 16 hexadecimal
// digits.
#ifndef MPC_LIB_SUPPORT_FILEHASH_H
#define MPC_LIB_SUPPORT_FILEHASH_H

#include "mpc/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mpc {

/// Of parts that lie one behind the other.
std::string hashParts(std::span<const std::span<const std::byte>> parts);
std::string hashText(std::string_view text);

struct FileFacts {
  uint64_t bytes = 0;
  std::string hash;
  bool operator==(const FileFacts &) const = default;
};
/// Of a whole file, which is read piece by piece. NotFound; InvalidArgument: it
/// is a pipe or a device, which may have no end, or a folder; IoError.
Result<FileFacts> readFileFacts(const std::string &path);

} // namespace mpc

#endif // MPC_LIB_SUPPORT_FILEHASH_H
