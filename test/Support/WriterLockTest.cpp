// One writer at a time, whatever became of the one before.
#include "../Data/TemporaryFolder.h"

#include "mpc/Support/WriterLock.h"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;

namespace {
struct WriterLockTest : TemporaryFolder {
  bool isFree(const std::string &name) const {
    return bool(WriterLock::take(path(name)));
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
                    "': another process saves to it; give each a file of its "
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
                  "loop': cannot be locked: Too many levels");
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

/// One that appends to the file itself.
TEST_F(WriterLockTest, AFileThatIsLockedItselfHasAWriter) {
  put("a", "line");
  int descriptor = open(path("a").c_str(), O_WRONLY | O_APPEND);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  EXPECT_FALSE(isFree("a"));
  close(descriptor);
  EXPECT_TRUE(isFree("a"));
  EXPECT_EQ(numFiles(), 1u);
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
                  "no/a.lock': cannot be locked: No such file");
}
