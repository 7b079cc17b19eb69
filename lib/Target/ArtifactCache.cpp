#include "mpc/Target/ArtifactCache.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc::target;
using llvm::ArrayRef;
using llvm::StringRef;

/// An entry is the data followed by its own SHA-1.
static constexpr size_t kDigestBytes = 20;

std::string mpc::target::contentHash(StringRef text) {
  llvm::SHA1 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string ArtifactCache::pathOf(StringRef key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, key);
  return std::string(path);
}

std::optional<std::vector<uint8_t>> ArtifactCache::find(StringRef key) const {
  if (folder.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(pathOf(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file || (*file)->getBufferSize() < kDigestBytes)
    return std::nullopt;
  StringRef content = (*file)->getBuffer();
  StringRef data = content.drop_back(kDigestBytes);
  auto digest = llvm::SHA1::hash(llvm::arrayRefFromStringRef(data));
  if (llvm::toStringRef(digest) != content.take_back(kDigestBytes))
    return std::nullopt;
  return std::vector<uint8_t>(data.bytes_begin(), data.bytes_end());
}

void ArtifactCache::store(StringRef key, ArrayRef<uint8_t> data) const {
  if (folder.empty() || llvm::sys::fs::create_directories(folder))
    return;
  auto temporary = llvm::sys::fs::TempFile::create(pathOf(key) + ".%%%%%%%%");
  if (!temporary) {
    llvm::consumeError(temporary.takeError());
    return;
  }
  auto digest = llvm::SHA1::hash(data);
  {
    llvm::raw_fd_ostream out(temporary->FD, /*shouldClose=*/false);
    out << llvm::toStringRef(data) << llvm::toStringRef(digest);
    out.flush();
    if (out.has_error()) {
      out.clear_error();
      llvm::consumeError(temporary->discard());
      return;
    }
  }
  llvm::consumeError(temporary->keep(pathOf(key)));
}

std::string mpc::target::defaultCacheDir() {
  using llvm::sys::Process;
  if (auto folder = Process::GetEnv("MPC_CACHE_DIR"))
    return *folder;
  if (auto folder = Process::GetEnv("XDG_CACHE_HOME"))
    return *folder + "/mpc";
  if (auto folder = Process::GetEnv("HOME"))
    return *folder + "/.cache/mpc";
  return "";
}
