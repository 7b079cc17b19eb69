// What gzip has packed, piece by piece, by zlib.
#ifndef MPC_LIB_DATA_GUNZIP_H
#define MPC_LIB_DATA_GUNZIP_H

#include "mpc/Data/File.h"

#include <memory>

namespace mpc::data {

class Gunzip {
public:
  /// Whether the first bytes are gzip's.
  static bool isPacked(std::span<const std::byte> bytes);
  /// Deflate packs at most 1032 bytes into one.
  static uint64_t mostOf(uint64_t packedBytes) { return 1032 * packedBytes; }

  /// `packed`, members as gzip writes them, one after the other (RFC 1952),
  /// must stay.
  explicit Gunzip(std::span<const std::byte> packed);
  ~Gunzip();

  /// The next `count` bytes, or fewer where they end. The checksums of members
  /// that have ended were compared. Takes memory as data come, and throws
  /// std::bad_alloc where there is none. A message says what is wrong ("its
  /// packed data are damaged").
  Result<Bytes> read(uint64_t count);
  /// Whether what was packed is at its end, and nothing is behind it.
  bool isAllRead() const;

private:
  struct Stream;
  std::unique_ptr<Stream> stream;
};

} // namespace mpc::data

#endif // MPC_LIB_DATA_GUNZIP_H
