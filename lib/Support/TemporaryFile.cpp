#include "mpc/Support/TemporaryFile.h"

#include "mpc/Support/Links.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;

//===-- Names -------------------------------------------------------------===//

static constexpr std::string_view kMark = ".tmp-";
static constexpr size_t kRandomDigits = 16;

/// Closes a file without losing the reason of an error.
static void closeQuietly(int descriptor) {
  int reason = errno;
  close(descriptor);
  errno = reason;
}

static bool appendRandom(std::string &name) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    return false;
  char digits[kRandomDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(number));
  name += digits;
  return true;
}

/// Whether `name` is one that a writer of the file `base` makes.
static bool isTemporary(std::string_view name, std::string_view base) {
  size_t length = base.size() + kMark.size() + kRandomDigits;
  if (name.size() != length || !name.starts_with(base) ||
      !name.substr(base.size()).starts_with(kMark))
    return false;
  std::string_view digits = name.substr(base.size() + kMark.size());
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

//===-- Left-overs --------------------------------------------------------===//

/// Removes `name` if no writer is at work on it.
static void removeLeftOver(int folder, const char *name) {
  int file =
      openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  struct stat facts;
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
      flock(file, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, name, 0);
  close(file);
}

static void removeLeftOvers(const std::string &target) {
  DIR *list = opendir(folderOf(target).c_str());
  if (!list)
    return;
  std::string base = target.substr(target.rfind('/') + 1);
  while (const dirent *entry = readdir(list))
    if (isTemporary(entry->d_name, base))
      removeLeftOver(dirfd(list), entry->d_name);
  closedir(list);
}

//===-- Writing -----------------------------------------------------------===//

/// Makes and locks the file; false, with nothing left, if that fails. A process
/// that looked for left-overs may have found it before it was locked: then it
/// is made again.
bool TemporaryFile::create() {
  struct stat old;
  bool exists = stat(target.c_str(), &old) == 0;
  mode_t mode = exists ? old.st_mode & 0777 : 0666;
  for (int tries = 0; tries < 100; ++tries) {
    path = target + std::string(kMark);
    if (!appendRandom(path))
      return false;
    descriptor =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno == EEXIST)
      continue;
    if (descriptor < 0)
      return false;
    bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ||
                  errno != EWOULDBLOCK; // file systems without locks
    struct stat facts;
    bool good = !exists || fchmod(descriptor, mode) == 0;
    good = good && fstat(descriptor, &facts) == 0;
    if (good && locked && facts.st_nlink > 0)
      return true;
    unlink(path.c_str());
    closeQuietly(descriptor);
    descriptor = -1;
    if (!good)
      return false;
  }
  errno = EEXIST;
  return false;
}

TemporaryFile::TemporaryFile(const std::string &target) {
  std::optional<std::string> behind = followLinks(target);
  if (!behind)
    return;
  this->target = *behind;
  removeLeftOvers(this->target);
  create();
}

TemporaryFile::~TemporaryFile() {
  if (descriptor < 0)
    return;
  int reason = errno;
  unlink(path.c_str());
  errno = reason;
  closeQuietly(descriptor);
}

bool TemporaryFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t now = ::write(descriptor, bytes.data(), bytes.size());
    if (now < 0 && errno != EINTR)
      return false;
    if (now > 0)
      bytes = bytes.subspan(static_cast<size_t>(now));
  }
  return true;
}

void mpc::flushFolder(const std::string &folder) {
  int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  fsync(descriptor);
  close(descriptor);
}

bool TemporaryFile::flush() { return fsync(descriptor) == 0; }

bool TemporaryFile::publish() {
  if (!flush() || rename(path.c_str(), target.c_str()) != 0)
    return false;
  int published = descriptor;
  descriptor = -1; // whatever closing says, the file is there
  flushFolder(folderOf(target));
  return close(published) == 0;
}
