#include "mpc/Support/WriterLock.h"

#include "mpc/Support/Links.h"
#include "mpc/Support/Number.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;

//===-- What is told ------------------------------------------------------===//

/// With the name of the lock, whose folder may be what is wrong.
static Status systemFailure(const std::string &target,
                            const std::string &path) {
  return {StatusCode::IoError, "'" + target + "': cannot be locked by '" +
                                   path + "': " + std::strerror(errno)};
}

static Status otherWriter(const std::string &target,
                          const std::string &folder) {
  if (!folder.empty())
    return {StatusCode::IoError, "'" + folder +
                                     "': another process writes to this "
                                     "folder; give each a folder of its own"};
  return {StatusCode::IoError,
          "'" + target +
              "': another process writes it; give each a file of its own"};
}

/// "user 'mia'", or "user 1001" where nobody has that number.
static std::string describeUser(uid_t user) {
  char text[4096];
  passwd entry, *found = nullptr;
  if (getpwuid_r(user, &entry, text, sizeof text, &found) == 0 && found)
    return "user '" + std::string(found->pw_name) + "'";
  return "user " + std::to_string(user);
}

/// A lock that must not be opened: who made it must remove it.
static Status foreignLock(const std::string &target, const std::string &path) {
  int error = errno;
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0) { // the folder is what must not
    errno = error;
    return systemFailure(target, path);
  }
  return {StatusCode::IoError,
          "'" + target + "': its lock '" + path + "' is a file of " +
              describeUser(facts.st_uid) +
              ", which this process must not open (" + std::strerror(error) +
              "); if none of their processes writes '" + target +
              "' any more, have it removed, or give another file"};
}

//===-- Locks of open files -----------------------------------------------===//

namespace {
enum class Lock { Free, Others, Failed };
} // namespace

/// The whole file, for one writer.
static struct flock wholeFile() {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

/// Whether errno says that the file system, or the kernel, knows no such locks:
/// a kernel says EINVAL of a command that it does not know, which is all that
/// can be invalid here. Anything else is a failure: who cannot tell must not
/// write.
static bool hasNoLocks() {
  return errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS ||
         errno == EINVAL;
}

/// Free: it is ours now.
static Lock tryLock(int descriptor) {
  struct flock range = wholeFile();
  while (fcntl(descriptor, F_OFD_SETLK, &range) != 0) {
    if (errno == EAGAIN || errno == EACCES)
      return Lock::Others;
    if (errno != EINTR)
      return hasNoLocks() ? Lock::Free : Lock::Failed;
  }
  return Lock::Free;
}

/// The same, and nothing is taken.
static Lock askForLock(int descriptor) {
  struct flock range = wholeFile();
  if (fcntl(descriptor, F_OFD_GETLK, &range) != 0)
    return hasNoLocks() ? Lock::Free : Lock::Failed;
  return range.l_type == F_UNLCK ? Lock::Free : Lock::Others;
}

/// Whether the open file is still the one of that name: its last owner may have
/// removed it before we had the lock.
static bool isNamed(int descriptor, const std::string &path) {
  struct stat ours, named;
  return fstat(descriptor, &ours) == 0 && lstat(path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/// A descriptor of the lock at `path` that the process which started this one
/// holds for it; or -1.
static int findInherited(const std::string &path) {
  const char *text = std::getenv(kInheritedLocks);
  for (std::string_view list = text ? text : ""; !list.empty();) {
    size_t end = std::min(list.find(','), list.size());
    auto number = parseNumber<int>(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (!number || *number < 0 || !isNamed(*number, path))
      continue;
    // What this process starts has nothing to do with it.
    fcntl(*number, F_SETFD, FD_CLOEXEC);
    if (tryLock(*number) == Lock::Free)
      return *number;
  }
  return -1;
}

//===-- WriterLock --------------------------------------------------------===//

Status WriterLock::checkFree(const std::string &target,
                             const std::string &folder) {
  std::optional<std::string> behind = followLinks(target);
  if (!behind)
    return {}; // nor can it be written
  std::string path = *behind + ".lock";
  if (findInherited(path) >= 0)
    return {};
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int descriptor = open(path.c_str(), O_RDONLY | flags);
  if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
    return {};
  if (descriptor < 0)
    return errno == EACCES ? foreignLock(target, path)
                           : systemFailure(target, path);
  Lock lock = askForLock(descriptor);
  Status failure =
      lock == Lock::Failed ? systemFailure(target, path) : Status();
  close(descriptor);
  return lock == Lock::Others ? otherWriter(target, folder) : failure;
}

/// A file of another user may be open to us, but not to be made (a folder such
/// as /tmp).
static int openLock(const std::string &path) {
  constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = open(path.c_str(), flags | O_CREAT, 0666);
  if (descriptor >= 0 || errno != EACCES)
    return descriptor;
  descriptor = open(path.c_str(), flags);
  if (descriptor < 0)
    errno = EACCES; // that it is not there is no other reason
  return descriptor;
}

// Behind the standard streams and kNews of ranks (lib/Ranks/Local/Process.h),
// which are put into place in processes that are started.
static constexpr int kFirstDescriptor = 4;

static int moveUp(int descriptor) {
  if (descriptor >= kFirstDescriptor)
    return descriptor;
  int above = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (above < 0)
    return descriptor; // who inherits it does not find it there
  close(descriptor);
  return above;
}

Result<WriterLock> WriterLock::take(const std::string &target,
                                    const std::string &folder) {
  std::optional<std::string> behind = followLinks(target);
  if (!behind)
    return systemFailure(target, target + ".lock");
  std::string path = *behind + ".lock";
  if (int held = findInherited(path); held >= 0)
    return WriterLock("", fcntl(held, F_DUPFD_CLOEXEC, kFirstDescriptor));
  for (int tries = 0; tries < 100; ++tries) {
    int descriptor = openLock(path);
    if (descriptor < 0 && errno != EACCES)
      return systemFailure(target, path);
    if (descriptor < 0) {
      Status foreign = foreignLock(target, path);
      // Where it may be read, somebody who has it is told first.
      Status free = checkFree(target, folder);
      return free.ok() ? foreign : free;
    }
    Lock lock = tryLock(descriptor);
    if (lock == Lock::Free && isNamed(descriptor, path))
      return WriterLock(path, moveUp(descriptor));
    Status failure =
        lock == Lock::Failed ? systemFailure(target, path) : Status();
    close(descriptor);
    if (lock == Lock::Others)
      return otherWriter(target, folder);
    if (!failure.ok())
      return failure;
  }
  errno = EBUSY;
  return systemFailure(target, path);
}

WriterLock::~WriterLock() {
  if (number < 0)
    return;
  // While the lock is still ours. A file with a content is somebody's notes;
  // one of another writer, who found none of ours, is that writer's.
  struct stat facts;
  if (!path.empty() && fstat(number, &facts) == 0 && facts.st_size == 0 &&
      isNamed(number, path))
    unlink(path.c_str());
  close(number);
}
