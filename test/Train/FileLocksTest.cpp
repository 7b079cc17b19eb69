// Of runs that start at once and want files in common, one gets on.
#include "Train/Save/FileLocks.h"
#include "Train/Failure.h"

#include <algorithm>
#include <cstdarg>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc::train;

/// The locks that were made, in that order.
static std::vector<std::string> made;

/// In place of the system's.
extern "C" int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (flags & O_CREAT)
    made.push_back(std::filesystem::path(path).filename());
  return openat(AT_FDCWD, path, flags, mode);
}

namespace {

constexpr int kRuns = 2, kTimes = 500;

/// What the processes share.
struct Shared {
  pthread_barrier_t barrier;
  bool hasLocks[kRuns];
};

/// In a process of its own: takes the locks at the same time as the others, and
/// keeps them until all have tried.
[[noreturn]] void race(Shared &shared, int run,
                       const std::vector<std::string> &files) {
  int lost = 0;
  for (int i = 0; i < kTimes; ++i) {
    pthread_barrier_wait(&shared.barrier);
    std::optional<FileLocks> locks;
    try {
      locks.emplace(files, std::vector<std::string>());
    } catch (const Failure &) {
    }
    shared.hasLocks[run] = locks.has_value();
    pthread_barrier_wait(&shared.barrier);
    lost += std::ranges::count(shared.hasLocks, true) != 1;
    pthread_barrier_wait(&shared.barrier);
  }
  _exit(lost == 0 ? 0 : 1);
}

} // namespace

/// Whatever the files are to each of them, and in whatever order.
TEST(FileLocks, OneOfTwoGetsOn) {
  std::string folder =
      std::filesystem::temp_directory_path() / "mpc-locks-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  std::string a = folder + "/a", b = folder + "/b";
  FileLocks({b, a}, {});
  ASSERT_EQ(made, (std::vector<std::string>{"a.lock", "b.lock"}));
  auto *shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, kRuns);
  for (int run = 0; run < kRuns; ++run)
    if (fork() == 0)
      race(*shared, run, run == 0 ? std::vector{a, b} : std::vector{b, a});
  for (int run = 0; run < kRuns; ++run) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}
