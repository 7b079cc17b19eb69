// Hashes of what must not change unseen: XXH3 of 64 bits, as 16 hexadecimal
// digits.
#ifndef MPC_LIB_TRAIN_HASH_H
#define MPC_LIB_TRAIN_HASH_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpc::train {

/// Of parts that lie one behind the other.
std::string hashParts(std::span<const std::span<const std::byte>> parts);

struct FileFacts {
  uint64_t bytes = 0;
  std::string hash;
  bool operator==(const FileFacts &) const = default;
};
/// Of a whole file, which is read piece by piece.
FileFacts readFileFacts(const std::string &path);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_HASH_H
