// Compiled artifacts on disk, found by content hash. Safe under concurrent
// use: an entry appears whole, by rename, or not at all, and is checked before
// it is used, so that a damaged entry is compiled again instead of believed.
#ifndef MPC_TARGET_ARTIFACTCACHE_H
#define MPC_TARGET_ARTIFACTCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mpc::target {

class ArtifactCache {
public:
  /// A cache in `folder`; "" is a cache that never holds anything.
  explicit ArtifactCache(std::string folder) : folder(std::move(folder)) {}

  /// The artifact named `key`, if it is there and intact.
  std::optional<std::vector<uint8_t>> find(llvm::StringRef key) const;

  /// Stores `data` under `key`. A cache that cannot be written is no error:
  /// the next compilation is slower, nothing else.
  void store(llvm::StringRef key, llvm::ArrayRef<uint8_t> data) const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
};

/// 40 hex digits that name `text` (SHA-1).
std::string contentHash(llvm::StringRef text);

/// $MPC_CACHE_DIR, else $XDG_CACHE_HOME/mpc, else $HOME/.cache/mpc, else "".
std::string defaultCacheDir();

} // namespace mpc::target

#endif // MPC_TARGET_ARTIFACTCACHE_H
