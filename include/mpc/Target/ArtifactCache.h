// Compiled artifacts on disk, found by content hash. Safe under concurrent
// use: an entry appears whole, by rename, or not at all, and is checked before
// it is used, so that a damaged entry is compiled again instead of believed.
//
// An entry is machine code that goes into programs, so whoever can write it can
// run what he likes as whoever uses the cache; the hash in it guards against
// damage, not against intent. A private cache therefore believes a folder only
// if it belongs to the user and nobody else may write to it, and the same of
// each entry. What is checked is what was opened (fstat), so that no name can
// be exchanged in between. docs/Security.md has the whole picture.
#ifndef MPC_TARGET_ARTIFACTCACHE_H
#define MPC_TARGET_ARTIFACTCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc::target {

/// Whose entries a cache believes.
enum class CacheTrust {
  Private, ///< The user's own, which nobody else could have written.
  Shared   ///< Those of everybody who can write to the folder.
};

class ArtifactCache {
public:
  /// Told why a folder cannot be used, and of the first entry that is not
  /// believed; from any thread.
  using Warn = std::function<void(const std::string &)>;

  /// A cache that never holds anything.
  ArtifactCache() = default;

  /// The cache in `folder`, which is made if it is missing; "" gives the cache
  /// that never holds anything, and so does, after a warning, a folder that is
  /// not believed or cannot be opened.
  static ArtifactCache open(const std::string &folder, CacheTrust trust,
                            Warn warn = {});

  /// The artifact named `key`, if it is there, believed and intact.
  std::optional<std::vector<uint8_t>> find(llvm::StringRef key) const;

  /// Stores `data` under `key`. A cache that cannot be written is no error:
  /// the next compilation is slower, nothing else.
  void store(llvm::StringRef key, llvm::ArrayRef<uint8_t> data) const;

private:
  struct Folder;
  std::shared_ptr<const Folder> folder; ///< Null: never holds anything.
};

/// 40 hex digits that name `text` (SHA-1).
std::string contentHash(llvm::StringRef text);

/// $MPC_CACHE_DIR, else $XDG_CACHE_HOME/mpc, else $HOME/.cache/mpc, else "".
std::string defaultCacheDir();

} // namespace mpc::target

#endif // MPC_TARGET_ARTIFACTCACHE_H
