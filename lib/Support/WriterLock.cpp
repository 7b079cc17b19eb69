#include "mpc/Support/WriterLock.h"

#include "mpc/Support/Links.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;

static Status systemFailure(const std::string &path) {
  return {StatusCode::IoError,
          "'" + path + "': cannot be locked: " + std::strerror(errno)};
}

/// Whether the open file is still the one of that name: its last owner may have
/// removed it before we had the lock.
static bool isNamed(int descriptor, const std::string &path) {
  struct stat ours, named;
  return fstat(descriptor, &ours) == 0 && lstat(path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/// Whether somebody has a lock on the regular file `path`.
static bool isLocked(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return false;
  struct stat facts;
  bool isFree = fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) ||
                flock(descriptor, LOCK_SH | LOCK_NB) == 0 ||
                errno != EWOULDBLOCK;
  close(descriptor);
  return !isFree;
}

static Status otherWriter(const std::string &target) {
  return {StatusCode::IoError,
          "'" + target +
              "': another process saves to it; give each a file of its own"};
}

Status WriterLock::checkFree(const std::string &target) {
  std::optional<std::string> behind = followLinks(target);
  bool isTaken = behind && isLocked(*behind + ".lock");
  return isTaken ? otherWriter(target) : Status();
}

Result<WriterLock> WriterLock::take(const std::string &target) {
  std::optional<std::string> behind = followLinks(target);
  if (!behind)
    return systemFailure(target);
  std::string path = *behind + ".lock";
  for (int tries = 0; tries < 100; ++tries) {
    int descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0)
      return systemFailure(path);
    // Where the file system has no locks, nobody is refused.
    bool isOurs =
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (isOurs && isNamed(descriptor, path)) {
      WriterLock lock(path, descriptor);
      if (isLocked(*behind))
        return otherWriter(target);
      return lock;
    }
    close(descriptor);
    if (!isOurs)
      return otherWriter(target);
  }
  errno = EBUSY;
  return systemFailure(path);
}

WriterLock::~WriterLock() {
  if (descriptor < 0)
    return;
  // While the lock is still ours. A file with a content is somebody's notes;
  // one of another writer, who found none of ours, is that writer's.
  struct stat facts;
  if (fstat(descriptor, &facts) == 0 && facts.st_size == 0 &&
      isNamed(descriptor, path))
    unlink(path.c_str());
  close(descriptor);
}
