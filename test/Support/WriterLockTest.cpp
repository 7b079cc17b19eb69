// One writer at a time, whatever became of the one before.
#include "../Data/TemporaryFolder.h"

#include "mpc/Support/WriterLock.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;

/// What locks fail with, if not 0.
static int lockError = 0;

/// In place of the system's.
extern "C" int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (lockError && (command == F_OFD_SETLK || command == F_OFD_GETLK)) {
    errno = lockError;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fcntl, descriptor, command, argument));
}

/// Whether files can be opened only where they are, as those of another user in
/// a folder such as /tmp (fs.protected_regular).
static bool refusesToMake = false;

/// In place of the system's.
extern "C" int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (refusesToMake && flags & O_CREAT) {
    errno = EACCES;
    return -1;
  }
  return openat(AT_FDCWD, path, flags, mode);
}

namespace {
struct WriterLockTest : TemporaryFolder {
  bool isFree(const std::string &name) const {
    return bool(WriterLock::take(path(name)));
  }
  /// What somebody is told who wants the lock "a.lock", which exists and gives
  /// others, of whom root is none, the rights of `mode` only.
  std::string askAsAnother(mode_t mode) const {
    chmod(path("").c_str(), 0777);
    chmod(path("a.lock").c_str(), mode);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      if (geteuid() == 0 && seteuid(65534) != 0)
        _exit(1);
      std::string text = WriterLock::take(path("a")).status().message();
      bool isTold = write(ends[1], text.data(), text.size()) ==
                    static_cast<ssize_t>(text.size());
      _exit(isTold ? 0 : 1);
    }
    close(ends[1]);
    char text[1024];
    ssize_t count = read(ends[0], text, sizeof text);
    close(ends[0]);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return {text, static_cast<size_t>(std::max<ssize_t>(count, 0))};
  }
};
} // namespace

TEST_F(WriterLockTest, TheSecondIsRefused) {
  {
    Result<WriterLock> first = WriterLock::take(path("a"));
    ASSERT_TRUE(first) << first.status().message();
    for (int i = 0; i < 2; ++i) // the refused one leaves the file alone
      EXPECT_EQ(WriterLock::take(path("a")).status().message(),
                "'" + path("a") +
                    "': another process writes it; give each a file of its "
                    "own");
    EXPECT_TRUE(isFree("b"));
    WriterLock moved = std::move(*first);
    EXPECT_FALSE(isFree("a"));
  }
  EXPECT_TRUE(isFree("a"));
  EXPECT_EQ(numFiles(), 0u);
}

/// Two names of one file, which need not exist yet.
TEST_F(WriterLockTest, IsForTheFileBehindLinks) {
  std::filesystem::create_directory(path("disk"));
  std::filesystem::create_symlink("disk/file", path("newest"));
  Result<WriterLock> first = WriterLock::take(path("newest"));
  ASSERT_TRUE(first);
  EXPECT_FALSE(isFree("disk/file"));
  std::filesystem::create_symlink("loop", path("loop"));
  EXPECT_CONTAINS(WriterLock::take(path("loop")).status().message(),
                  "loop.lock': Too many levels");
}

TEST_F(WriterLockTest, TellsWhetherItIsTaken) {
  std::filesystem::create_symlink("a", path("newest"));
  EXPECT_TRUE(WriterLock::checkFree(path("a")).ok());
  {
    Result<WriterLock> first = WriterLock::take(path("a"));
    ASSERT_TRUE(first);
    EXPECT_FALSE(WriterLock::checkFree(path("a")).ok());
    EXPECT_FALSE(WriterLock::checkFree(path("newest")).ok());
    EXPECT_TRUE(WriterLock::checkFree(path("b")).ok());
  }
  EXPECT_TRUE(WriterLock::checkFree(path("a")).ok());
  put("b.lock", "");
  EXPECT_TRUE(WriterLock::checkFree(path("b")).ok()); // left by a dead one
}

/// Processes that one starts have its lock, one after the other; nobody else
/// has it before, between or behind them.
TEST_F(WriterLockTest, IsInheritedByProcessesThatAreToldOfIt) {
  Result<WriterLock> first = WriterLock::take(path("a"));
  ASSERT_TRUE(first);
  EXPECT_GT(first->descriptor(), 3);
  std::string number = std::to_string(first->descriptor());
  for (int time = 0; time < 2; ++time) {
    pid_t child = fork();
    if (child == 0) {
      setenv(kInheritedLocks, ("x,,99," + number + ",0").c_str(), 1);
      bool isFree = WriterLock::checkFree(path("a")).ok();
      bool isOurs = bool(WriterLock::take(path("a")));
      bool isOther = bool(WriterLock::take(path("b")));
      _exit(isFree && isOurs && isOther ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(isFree("a"));
    EXPECT_FALSE(WriterLock::checkFree(path("a")).ok());
    EXPECT_TRUE(std::filesystem::exists(path("a.lock")));
  }
  // What has another name is not that lock.
  std::filesystem::rename(path("a.lock"), path("away"));
  setenv(kInheritedLocks, number.c_str(), 1);
  Result<WriterLock> second = WriterLock::take(path("a"));
  unsetenv(kInheritedLocks);
  ASSERT_TRUE(second);
  EXPECT_FALSE(isFree("a"));
}

/// What took the name of the lock meanwhile is not ours.
TEST_F(WriterLockTest, WhatReplacedTheLockStays) {
  {
    Result<WriterLock> first = WriterLock::take(path("a"));
    ASSERT_TRUE(first);
    put("summary", "text");
    std::filesystem::rename(path("summary"), path("a.lock"));
  }
  EXPECT_EQ(get("a.lock"), "text");
}

TEST_F(WriterLockTest, ADeadWriterIsNone) {
  pid_t child = fork();
  if (child == 0) {
    Result<WriterLock> lock = WriterLock::take(path("a"));
    if (lock)
      raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(numFiles(), 1u);
  EXPECT_TRUE(isFree("a"));
  EXPECT_EQ(numFiles(), 0u);
}

/// The file of a writer that goes may be opened by the next one just before it
/// is removed: that lock would be on a file that nobody else finds.
TEST_F(WriterLockTest, NeverTwoAtATime) {
  constexpr int writers = 4, times = 300;
  for (int i = 0; i < writers; ++i)
    if (fork() == 0) {
      bool isAlone = true;
      for (int done = 0; done < times;) {
        Result<WriterLock> lock = WriterLock::take(path("a"));
        if (!lock)
          continue;
        isAlone &= mkdir(path("inside").c_str(), 0700) == 0 &&
                   rmdir(path("inside").c_str()) == 0;
        ++done;
      }
      _exit(isAlone ? 0 : 1);
    }
  for (int i = 0; i < writers; ++i) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(numFiles(), 0u);
}

/// As by a user who takes it for a left-over.
TEST_F(WriterLockTest, ARemovedFileIsMissedByItsWriterAlone) {
  auto first = std::make_optional(WriterLock::take(path("a")));
  std::filesystem::remove(path("a.lock"));
  Result<WriterLock> second = WriterLock::take(path("a"));
  ASSERT_TRUE(*first && second);
  first.reset();
  EXPECT_FALSE(isFree("a"));
}

TEST_F(WriterLockTest, WhatIsSomebodysStays) {
  put("a.lock", "my notes");
  EXPECT_TRUE(isFree("a"));
  EXPECT_EQ(get("a.lock"), "my notes");
  put("victim", "");
  std::filesystem::create_symlink(path("victim"), path("b.lock"));
  EXPECT_FALSE(isFree("b"));
  EXPECT_CONTAINS(WriterLock::take(path("no/a")).status().message(),
                  "no/a': cannot be locked by '" + path("no/a.lock") +
                      "': No such file");
}

/// Who may not open a lock learns whose it is, and that it may be a left-over.
TEST_F(WriterLockTest, TheLockOfAnotherUserIsNamed) {
  std::string who = getpwuid(geteuid())->pw_name;
  std::string leftOver =
      "'" + path("a") + "': its lock '" + path("a") +
      ".lock' is a file of user '" + who +
      "', which this process must not open (Permission denied); if none of "
      "their processes writes '" +
      path("a") + "' any more, have it removed, or give another file";
  put("a.lock", "");
  EXPECT_EQ(askAsAnother(0), leftOver);
  EXPECT_EQ(askAsAnother(0444), leftOver);
  chmod(path("a.lock").c_str(), 0644);
  Result<WriterLock> first = WriterLock::take(path("a"));
  ASSERT_TRUE(first);
  EXPECT_CONTAINS(askAsAnother(0444), "another process writes it");
}

/// Left by a process of another user, who lets us open it.
TEST_F(WriterLockTest, ALockThatCannotBeMadeIsTakenOver) {
  put("a.lock", "");
  refusesToMake = true;
  EXPECT_TRUE(isFree("a"));
  EXPECT_CONTAINS(WriterLock::take(path("b")).status().message(),
                  "b.lock': Permission denied");
  refusesToMake = false;
}

/// Who cannot tell whether there is another writer does not write, but where
/// there are no locks at all: EINVAL is of a kernel without this command.
TEST_F(WriterLockTest, OnlyAFileSystemWithoutLocksNeedsNone) {
  for (int error : {EIO, EBADF, EPERM, ENOMEM}) {
    lockError = error;
    EXPECT_CONTAINS(WriterLock::take(path("a")).status().message(),
                    "a': cannot be locked by '" + path("a.lock") +
                        "': " + std::strerror(error));
    EXPECT_CONTAINS(WriterLock::checkFree(path("a")).message(),
                    std::strerror(error));
  }
  for (int error : {ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL}) {
    lockError = error;
    Result<WriterLock> first = WriterLock::take(path("a"));
    EXPECT_TRUE(first && isFree("a"));
    EXPECT_TRUE(WriterLock::checkFree(path("a")).ok());
  }
  lockError = 0;
  EXPECT_TRUE(isFree("a"));
}

/// Who asks is no writer, not even for a moment.
TEST_F(WriterLockTest, NobodyIsRefusedForAQuestion) {
  pid_t child = fork();
  while (child == 0)
    (void)WriterLock::checkFree(path("a"));
  int refused = 0;
  for (int i = 0; i < 5000; ++i)
    refused += !isFree("a");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(refused, 0);
}
