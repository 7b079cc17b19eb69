#include "mpc/Data/File.h"

#include "TemporaryFolder.h"

#include "mpc/Support/Pipe.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
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

TEST_F(FileTest, WhatCannotBeWrittenIsKnownBefore) {
  put("a", "old");
  EXPECT_TRUE(checkWritable(path("a")).ok());
  EXPECT_TRUE(checkWritable(path("b")).ok());
  EXPECT_TRUE(checkWritable("/dev/null").ok());
  EXPECT_CONTAINS(checkWritable(path("no/a")).message(),
                  "no/a': cannot be written: No such file or directory");
  EXPECT_CONTAINS(checkWritable(folder).message(), "is a directory");
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(numFiles(), 1u) << "nothing is left by the question";
}

TEST_F(FileTest, FoldersAndDevicesAreNotRead) {
  EXPECT_EQ(InputFile::open(path("a")).status().code(), StatusCode::NotFound);
  EXPECT_CONTAINS(InputFile::open(folder).status().message(),
                  "expected a regular file or a pipe, but got a directory");
  EXPECT_CONTAINS(InputFile::open("/dev/zero").status().message(),
                  "but got a device");
}

TEST_F(FileTest, PipesAreReadToTheirEnd) {
  std::string text(300000, 'x'), pipe = path("pipe"); // more than a pipe holds
  text += "end";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << text; });
  Result<InputFile> file = InputFile::open(pipe);
  writer.join();
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(file->size(), text.size());
  Result<Bytes> first = file->read(300000), rest = file->read(3);
  ASSERT_TRUE(first && rest);
  EXPECT_EQ(std::string(reinterpret_cast<char *>(rest->data()), 3), "end");
  EXPECT_EQ(file->read(1).status().code(), StatusCode::Truncated);
}

TEST_F(FileTest, NobodyWaitsForAPipeThatNobodyWritesTo) {
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto read = [&](int patience) {
    int descriptor = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    auto content =
        readPipe(descriptor, "p", std::chrono::milliseconds(patience));
    close(descriptor);
    return content;
  };
  auto nobody = read(200);
  EXPECT_EQ(nobody.status().code(), StatusCode::IoError);
  EXPECT_EQ(nobody.status().message(),
            "p: expected a program that writes to this pipe, but there was "
            "none for 0.2 seconds; start it first");
  // A writer that is there may take longer than that, and may write nothing.
  int writer = open(pipe.c_str(), O_RDWR);
  std::thread slow([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(::write(writer, "late", 4), 4);
    close(writer);
  });
  auto late = read(1);
  slow.join();
  ASSERT_TRUE(late) << late.status().message();
  EXPECT_EQ(late->size(), 4u);
  std::thread silent([&] { close(open(pipe.c_str(), O_WRONLY)); });
  auto nothing = read(20000);
  silent.join();
  ASSERT_TRUE(nothing) << nothing.status().message();
  EXPECT_EQ(nothing->size(), 0u);
}

TEST_F(FileTest, ShrunkFileIsAnError) {
  Result<InputFile> file = InputFile::open(put("a", "12345678"));
  ASSERT_TRUE(file);
  put("a", "1234");
  EXPECT_EQ(file->read(8).status().code(), StatusCode::Truncated);
}

} // namespace
