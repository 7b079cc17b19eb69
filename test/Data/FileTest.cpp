#include "mpc/Data/File.h"

#include "TemporaryFolder.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::data;

namespace {

struct FileTest : TemporaryFolder {
  static Status write(const std::string &path, const std::string &text) {
    std::span<const std::byte> parts[] = {
        std::as_bytes(std::span(text.data(), text.size()))};
    return writeFile(path, parts);
  }
};

TEST_F(FileTest, ReplacesAFileAndLeavesNothingBeside) {
  put("a", "old");
  chmod(path("a").c_str(), 0640);
  EXPECT_TRUE(write(path("a"), "new").ok());
  EXPECT_EQ(get("a"), "new");
  EXPECT_EQ(numFiles(), 1u);
  struct stat facts;
  ASSERT_EQ(stat(path("a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

TEST_F(FileTest, FullDeviceIsAnError) {
  Status status = write("/dev/full", "x");
  EXPECT_EQ(status.code(), StatusCode::IoError);
  EXPECT_CONTAINS(status.message(), "'/dev/full': cannot be written: No space");
  struct stat facts; // and the device is still a device
  ASSERT_EQ(stat("/dev/full", &facts), 0);
  EXPECT_TRUE(S_ISCHR(facts.st_mode));
}

TEST_F(FileTest, FailureKeepsTheOldFile) {
  // A limit on file sizes stands for a full disk.
  put("a", "old");
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    Status status = write(path("a"), std::string(1000, 'x'));
    _exit(status.code() == StatusCode::IoError ? 0 : 1);
  }
  int result = -1;
  waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(FileTest, UnwritablePlacesAreErrors) {
  EXPECT_CONTAINS(write(path("no/a"), "x").message(), "No such file");
  EXPECT_CONTAINS(write(folder, "x").message(), "is a directory");
}

TEST_F(FileTest, OnlyRegularFilesAreRead) {
  EXPECT_EQ(InputFile::open(path("a")).status().code(), StatusCode::NotFound);
  EXPECT_CONTAINS(InputFile::open(folder).status().message(),
                  "expected a regular file, but got a directory");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_CONTAINS(InputFile::open(path("pipe")).status().message(),
                  "but got a device or pipe");
}

TEST_F(FileTest, ShrunkFileIsAnError) {
  Result<InputFile> file = InputFile::open(put("a", "12345678"));
  ASSERT_TRUE(file);
  put("a", "1234");
  EXPECT_EQ(file->read(8).status().code(), StatusCode::Truncated);
}

} // namespace
