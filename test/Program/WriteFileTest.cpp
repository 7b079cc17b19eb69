// A write that fails leaves the old file and nothing beside it.
#include "mpc/Program/Program.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace mpc;
namespace fs = std::filesystem;

namespace {
struct Folder {
  Folder() : path(fs::path(testing::TempDir()) / "mpc-write-file") {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }
  fs::path path;
};

/// Files of this process may not grow beyond `bytes`: a full disk in small.
struct FileLimit {
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit now = {bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    handler = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before;
  void (*handler)(int);
};
} // namespace

static std::string read(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WriteFile, ReplacesWhole) {
  Folder folder;
  std::string path = folder.path / "a.mpcx";
  std::vector<uint8_t> first(100000, 'a'), second(10, 'b');
  ASSERT_TRUE(program::writeFile(path, first).ok());
  EXPECT_EQ(read(path), std::string(100000, 'a'));
  ASSERT_TRUE(program::writeFile(path, second).ok());
  EXPECT_EQ(read(path), std::string(10, 'b'));
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteFile, FullDiskKeepsTheOldFile) {
  Folder folder;
  std::string path = folder.path / "a.mpcx";
  ASSERT_TRUE(program::writeFile(path, std::vector<uint8_t>(10, 'b')).ok());
  Status status;
  {
    FileLimit limit(4096);
    status = program::writeFile(path, std::vector<uint8_t>(100000, 'a'));
  }
  EXPECT_EQ(status.code(), StatusCode::IoError);
  EXPECT_EQ(status.message(), path + ": could not write it: File too large; "
                                     "nothing was changed");
  EXPECT_EQ(read(path), std::string(10, 'b'));
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteFile, MissingFolder) {
  Status status = program::writeFile("/nowhere/a.mpcx", {});
  EXPECT_EQ(status.code(), StatusCode::IoError);
  EXPECT_EQ(status.message(),
            "/nowhere/a.mpcx: could not create a file beside it: No such file "
            "or directory; nothing was changed");
}

TEST(WriteFile, TargetIsAFolder) {
  Folder folder;
  fs::create_directories(folder.path / "a.mpcx");
  Status status = program::writeFile(folder.path / "a.mpcx", {});
  EXPECT_EQ(status.code(), StatusCode::IoError);
  EXPECT_EQ(folder.files(), 1u);
}
