// Calls on the thread of a Gloo device.
#include "Ranks/Transport/GlooThread.h"

#include <cerrno>
#include <cstddef>
#include <future>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace mpc_plugin;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {
std::shared_ptr<GlooThread::Device> makeDevice() {
  gloo::transport::tcp::attr place;
  place.hostname = "127.0.0.1";
  return std::dynamic_pointer_cast<GlooThread::Device>(
      gloo::transport::tcp::CreateDevice(place));
}
Clock::time_point soon() { return Clock::now() + 30s; }

/// For this thread, until it ends: nothing more can be watched.
bool refuseToWatch() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_ctl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog filter = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// The lowest number that is free.
int nextDescriptor() {
  int next = dup(STDIN_FILENO);
  close(next);
  return next;
}
} // namespace

TEST(GlooThread, runsAllOnOneThread) {
  GlooThread thread(makeDevice());
  std::thread::id first, second;
  EXPECT_TRUE(thread.run([&] { first = std::this_thread::get_id(); }, soon()));
  EXPECT_TRUE(thread.run([&] { second = std::this_thread::get_id(); }, soon()));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::thread::id());
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(GlooThread, throwsWhatIsThrownThere) {
  GlooThread thread(makeDevice());
  auto fail = [] { throw std::runtime_error("of a test"); };
  try {
    thread.run(fail, soon());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "of a test");
  }
  EXPECT_TRUE(thread.run([] {}, soon())) << "it goes on";
}

// What was given up is not run later, when its memory may be gone.
TEST(GlooThread, givesUpAtTheDeadline) {
  auto device = makeDevice();
  GlooThread busy(device), late(device);
  std::promise<void> isBusy, open;
  std::thread other([&] {
    busy.run(
        [&] {
          isBusy.set_value();
          open.get_future().wait();
        },
        soon());
  });
  isBusy.get_future().wait();
  bool hasRun = false;
  EXPECT_FALSE(late.run([&] { hasRun = true; }, Clock::now() + 20ms));
  open.set_value();
  other.join();
  EXPECT_FALSE(hasRun);
  int next = 0;
  EXPECT_TRUE(late.run([&] { next = 1; }, soon()));
  EXPECT_EQ(next, 1);
  EXPECT_FALSE(hasRun);
}

TEST(GlooThread, keepsNoDescriptorOfOneThatCannotBe) {
  auto device = makeDevice();
  int before = nextDescriptor();
  bool isRefused = false;
  std::thread other([&] {
    isRefused = refuseToWatch();
    if (isRefused)
      EXPECT_THROW(GlooThread thread(device), std::exception);
  });
  other.join();
  if (!isRefused)
    GTEST_SKIP() << "this system filters no calls";
  EXPECT_EQ(nextDescriptor(), before);
}
