#include "mpc/Target/ArtifactCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace mpc::target;
using llvm::ArrayRef;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// An entry is the data followed by its own SHA-1.
static constexpr size_t kDigestBytes = 20;

std::string mpc::target::contentHash(StringRef text) {
  llvm::SHA1 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

namespace {
/// What open returned; closed at the end of its scope.
struct Descriptor {
  explicit Descriptor(int number)
      : number(number), error(number < 0 ? errno : 0) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  explicit operator bool() const { return number >= 0; }

  const int number;
  const int error; ///< Why it could not be opened.
};
} // namespace

struct ArtifactCache::Folder {
  Folder(std::string path, CacheTrust trust, Warn warn)
      : path(std::move(path)), trust(trust), warn(std::move(warn)),
        descriptor(openFolder()) {}

  bool isUsable() const;
  Descriptor openEntry(StringRef key) const;
  bool isBelieved(const Descriptor &entry, StringRef key) const;
  Descriptor makeEntry(const std::string &name, bool &isNamed) const;
  bool writeEntry(const Descriptor &entry, ArrayRef<uint8_t> data) const;
  void tell(const std::string &message) const {
    if (warn)
      warn(message);
  }

  const std::string path;
  const CacheTrust trust;
  const Warn warn;
  mutable std::atomic<bool> toldOfEntry = false;
  const Descriptor descriptor;

private:
  int openFolder() const;
};

static std::string textOf(int error) {
  return std::generic_category().message(error);
}

/// Why others than the user may have written what `status` describes; "" if
/// they cannot have. Entries of an access control list that may write show as
/// the group's bit.
static std::string describeOthers(const struct stat &status) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (status.st_uid != geteuid())
    stream << "belongs to user " << status.st_uid << ", not to user "
           << geteuid();
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    stream << "can be written by others (mode "
           << llvm::format("%04o", status.st_mode & 07777) << ")";
  return text;
}

int ArtifactCache::Folder::openFolder() const {
  (void)fs::create_directories(path, /*IgnoreExisting=*/true,
                               trust == CacheTrust::Private ? fs::owner_all
                                                            : fs::all_all);
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool ArtifactCache::Folder::isUsable() const {
  std::string prefix = "kernels are not kept for the next time: ";
  struct stat status = {};
  if (!descriptor || fstat(descriptor.number, &status) != 0) {
    tell(prefix + "cannot write to '" + path +
         "': " + textOf(descriptor.error));
    return false;
  }
  std::string others = describeOthers(status);
  if (trust == CacheTrust::Private && !others.empty()) {
    tell(prefix + "the folder '" + path + "' " + others +
         ", and what is in it would run as you");
    return false;
  }
  if (faccessat(descriptor.number, ".", W_OK, AT_EACCESS) != 0) {
    int error = errno;
    tell(prefix + "cannot write to '" + path + "': " + textOf(error));
  }
  return true; // to read from
}

ArtifactCache ArtifactCache::open(const std::string &path, CacheTrust trust,
                                  Warn warn) {
  ArtifactCache cache;
  if (path.empty())
    return cache;
  auto folder = std::make_shared<Folder>(path, trust, std::move(warn));
  if (folder->isUsable())
    cache.folder = std::move(folder);
  return cache;
}

/// O_NONBLOCK: a pipe of that name must not hold us up.
Descriptor ArtifactCache::Folder::openEntry(StringRef key) const {
  return Descriptor(openat(descriptor.number, key.str().c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

bool ArtifactCache::Folder::isBelieved(const Descriptor &entry,
                                       StringRef key) const {
  struct stat status = {};
  if (fstat(entry.number, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  if (trust == CacheTrust::Shared)
    return true;
  std::string others = describeOthers(status);
  if (!others.empty() && !toldOfEntry.exchange(true))
    tell("the kernel '" + key.str() + "' in '" + path + "' " + others +
         "; it is compiled again, and so is each other one like it");
  return others.empty();
}

std::optional<std::vector<uint8_t>> ArtifactCache::find(StringRef key) const {
  if (!folder)
    return std::nullopt;
  Descriptor entry = folder->openEntry(key);
  if (!entry || !folder->isBelieved(entry, key))
    return std::nullopt;
  // Volatile: read, not mapped, since others may cut a shared one short.
  auto file =
      llvm::MemoryBuffer::getOpenFile(entry.number, key, /*FileSize=*/-1,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!file || (*file)->getBufferSize() < kDigestBytes)
    return std::nullopt;
  StringRef content = (*file)->getBuffer();
  StringRef data = content.drop_back(kDigestBytes);
  auto digest = llvm::SHA1::hash(llvm::arrayRefFromStringRef(data));
  if (llvm::toStringRef(digest) != content.take_back(kDigestBytes))
    return std::nullopt;
  return std::vector<uint8_t>(data.bytes_begin(), data.bytes_end());
}

/// A name that nobody else takes: `key` and something random.
static std::string randomName(StringRef key) {
  return (key + "." + llvm::utohexstr(llvm::sys::Process::GetRandomNumber()) +
          "." + llvm::utostr(getpid()))
      .str();
}

/// A new file that has no name yet, so that whatever ends the process leaves
/// nothing behind; where a file system has no such files, one called `name`.
Descriptor ArtifactCache::Folder::makeEntry(const std::string &name,
                                            bool &isNamed) const {
  mode_t mode = trust == CacheTrust::Private ? 0600 : 0666;
  int number =
      openat(descriptor.number, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  isNamed = number < 0;
  if (isNamed)
    number = openat(descriptor.number, name.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  return Descriptor(number);
}

/// Gives a file without a name the name `name`.
static bool nameEntry(const Descriptor &entry, int folder,
                      const std::string &name) {
  std::string open = "/proc/self/fd/" + std::to_string(entry.number);
  return linkat(AT_FDCWD, open.c_str(), folder, name.c_str(),
                AT_SYMLINK_FOLLOW) == 0;
}

bool ArtifactCache::Folder::writeEntry(const Descriptor &entry,
                                       ArrayRef<uint8_t> data) const {
  auto digest = llvm::SHA1::hash(data);
  llvm::raw_fd_ostream out(entry.number, /*shouldClose=*/false);
  out << llvm::toStringRef(data) << llvm::toStringRef(digest);
  out.flush();
  bool failed = out.has_error();
  out.clear_error();
  return !failed;
}

void ArtifactCache::store(StringRef key, ArrayRef<uint8_t> data) const {
  if (!folder)
    return;
  std::string name = randomName(key);
  bool isNamed = false;
  Descriptor entry = folder->makeEntry(name, isNamed);
  if (!entry)
    return;
  int at = folder->descriptor.number;
  bool written = folder->writeEntry(entry, data) &&
                 (isNamed || (isNamed = nameEntry(entry, at, name))) &&
                 renameat(at, name.c_str(), at, key.str().c_str()) == 0;
  if (!written && isNamed)
    unlinkat(at, name.c_str(), 0);
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
