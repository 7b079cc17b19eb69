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
  auto check = [](const std::string &path) { return OutputFile(path).check(); };
  put("a", "old");
  EXPECT_TRUE(check(path("a")).ok());
  EXPECT_TRUE(check(path("b")).ok());
  EXPECT_TRUE(check("/dev/null").ok());
  EXPECT_CONTAINS(check(path("no/a")).message(),
                  "no/a': cannot be written: No such file or directory");
  EXPECT_CONTAINS(check(folder).message(), "is a directory");
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(numFiles(), 1u) << "nothing is left by the question";
}

TEST_F(FileTest, OpeningAFileLeavesItAsItIs) {
  put("a", "old");
  {
    OutputFile old(path("a")), other(path("b"));
    EXPECT_TRUE(old.open().ok());
    EXPECT_TRUE(other.open().ok());
    EXPECT_FALSE(old.isOpen() || other.isOpen());
  }
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(numFiles(), 1u);
}

/// The reader of a pipe that is there; gone with this object.
struct PipeReader {
  explicit PipeReader(const std::string &path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK)) {}
  ~PipeReader() { close(descriptor); }
  std::string read() const {
    char text[100];
    ssize_t count = ::read(descriptor, text, sizeof text);
    return std::string(text, count > 0 ? static_cast<size_t>(count) : 0);
  }
  int descriptor;
};

TEST_F(FileTest, APipeIsOpenFromTheStart) {
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  PipeReader reader(pipe);
  OutputFile file(pipe);
  ASSERT_TRUE(file.open().ok());
  EXPECT_TRUE(file.isOpen());
  unlink(pipe.c_str()); // who holds it needs no name
  std::span<const std::byte> parts[] = {std::as_bytes(std::span("state", 5))};
  OutputFile moved = std::move(file);
  EXPECT_TRUE(writeFile(std::move(moved), parts).ok());
  EXPECT_EQ(reader.read(), "state");
  EXPECT_EQ(numFiles(), 0u);
}

TEST_F(FileTest, AReaderThatLeavesIsAnErrorAndNoSignal) {
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  OutputFile file(pipe);
  {
    PipeReader reader(pipe);
    ASSERT_TRUE(file.open().ok());
  }
  ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR); // which would end this process
  std::span<const std::byte> parts[] = {std::as_bytes(std::span("state", 5))};
  Status status = writeFile(std::move(file), parts);
  EXPECT_EQ(status.message(), "'" + pipe + "': cannot be written: Broken pipe");
  sigset_t pending, blocked;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGPIPE)) << "as it was before";
}

// As an application's event loop has it.
TEST_F(FileTest, APipeThatDoesNotWaitIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  std::vector<std::byte> bytes(1 << 20, std::byte(1)); // more than it holds
  size_t count = 0;
  std::thread reader([&] {
    fcntl(ends[0], F_SETFL, 0);
    std::vector<std::byte> piece(1 << 16);
    for (ssize_t got; (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
      count += static_cast<size_t>(got);
  });
  std::span<const std::byte> parts[] = {bytes};
  Status status = writeFile(OutputFile::lend(ends[1], "mine"), parts);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(count, bytes.size());
}

TEST_F(FileTest, ALentDescriptorStaysOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::span<const std::byte> parts[] = {std::as_bytes(std::span("ab", 2)),
                                        std::as_bytes(std::span("c", 1))};
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(writeFile(OutputFile::lend(ends[1], "mine"), parts).ok());
  char text[6] = {};
  EXPECT_EQ(::read(ends[0], text, 6), 6);
  EXPECT_EQ(std::string(text, 6), "abcabc");
  close(ends[0]);
  EXPECT_EQ(writeFile(OutputFile::lend(ends[1], "mine"), parts).message(),
            "'mine': cannot be written: Broken pipe");
  close(ends[1]);
}

TEST_F(FileTest, FoldersAndDevicesAreNotRead) {
  EXPECT_EQ(InputFile::open(path("a")).status().code(), StatusCode::NotFound);
  EXPECT_CONTAINS(InputFile::open(folder).status().message(),
                  "expected a regular file or a pipe, but got a directory");
  EXPECT_CONTAINS(InputFile::open("/dev/zero").status().message(),
                  "but got a device");
}

TEST_F(FileTest, OthersAskForWhatCanBeReadAgain) {
  put("a", "old");
  std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Result<int> file = openRegularFile(path("a"), "a");
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(close(*file), 0);
  EXPECT_EQ(openRegularFile(pipe, "p").status().message(),
            "p: expected a regular file, but got a pipe");
  EXPECT_TRUE(checkReadable(path("a"), "a").ok());
  EXPECT_TRUE(checkReadable(pipe, "p").ok());
  EXPECT_EQ(checkReadable("/dev/zero", "z").message(),
            "z: expected a regular file or a pipe, but got a device");
  EXPECT_EQ(checkReadable(path("b"), "b").code(), StatusCode::NotFound);
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
