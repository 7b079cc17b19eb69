// The files of Linux that tell how much memory there is, as they look on a
// machine alone, in a container, and where they are missing.
#include "mpc/Runtime/MachineMemory.h"
#include "LineProgram.h"
#include "OpenSession.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc::runtime;
namespace fs = std::filesystem;

namespace {
class MachineMemory : public testing::Test {
protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) /
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root);
    write("proc/meminfo", "MemTotal:       16000000 kB\n"
                          "MemFree:          100000 kB\n"
                          "SwapTotal:       1000000 kB\n");
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  uint64_t get() const { return getMachineMemory(root.string()); }

  fs::path root;
  static constexpr uint64_t kMachine = 17000000ull * 1024;
  static constexpr uint64_t kSwap = 1000000ull * 1024;
};
} // namespace

TEST_F(MachineMemory, IsThatOfTheMachineWithSwap) {
  EXPECT_EQ(get(), kMachine);
}

TEST_F(MachineMemory, OfAGroupThatMayHaveLess) {
  write("proc/self/cgroup", "0::/user.slice/mine\n");
  write("sys/fs/cgroup/user.slice/mine/memory.max", "max\n");
  EXPECT_EQ(get(), kMachine);
  write("sys/fs/cgroup/user.slice/mine/memory.max", "4096000\n");
  EXPECT_EQ(get(), 4096000 + kSwap);
  // The folder around it may allow less.
  write("sys/fs/cgroup/user.slice/memory.max", "2048000\n");
  EXPECT_EQ(get(), 2048000 + kSwap);
  // A limit above the memory of the machine is none.
  write("sys/fs/cgroup/user.slice/memory.max", "99999999999999\n");
  write("sys/fs/cgroup/user.slice/mine/memory.max", "max\n");
  EXPECT_EQ(get(), kMachine);
}

TEST_F(MachineMemory, InAContainerTheGroupIsTheRoot) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "8192000\n");
  EXPECT_EQ(get(), 8192000 + kSwap);
}

TEST_F(MachineMemory, OfGroupsOfVersion1) {
  write("proc/self/cgroup",
        "5:cpu,cpuacct:/a\n4:memory:/a/b\n1:name=systemd:/\n");
  write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
        "9223372036854771712\n");
  EXPECT_EQ(get(), kMachine);
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096000\n");
  EXPECT_EQ(get(), 4096000 + kSwap);
}

TEST_F(MachineMemory, IsUnknownWhereNothingTells) {
  fs::remove_all(root);
  EXPECT_EQ(get(), std::numeric_limits<uint64_t>::max());
}

TEST(MachineMemoryHere, IsThere) {
  EXPECT_GT(getMachineMemory(), uint64_t(1) << 20);
}

/// An application's own allocator may know of other memory: it is asked.
TEST(MachineMemoryHere, IsNotForAllocatorsOfApplications) {
  mpc::test::HandMade made = mpc::test::makeLineProgram();
  made.arena(uint64_t(1) << 47); // of x86-64, whatever lies after it
  auto session = Session::create(mpc::test::load(made), {});
  ASSERT_FALSE(session);
  EXPECT_NE(session.status().message().find("but this machine has"),
            std::string::npos)
      << session.status().message();
  SessionOptions options;
  options.allocator = Allocator{
      nullptr, [](void *, size_t, size_t) -> void * { return nullptr; },
      [](void *, void *, size_t) {}};
  session = Session::create(mpc::test::load(made), std::move(options));
  ASSERT_FALSE(session);
  EXPECT_TRUE(session.status().message().starts_with(
      "no memory for 1024 bytes of state"))
      << session.status().message();
}
