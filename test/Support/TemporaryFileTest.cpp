// Files are replaced as wholes, by any number of writers, in folders of others.
#include "../Data/TemporaryFolder.h"

#include "mpc/Data/File.h"
#include "mpc/Program/Program.h"
#include "mpc/Support/TemporaryFile.h"

#include <cerrno>
#include <csignal>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;

namespace {
struct TemporaryFileTest : TemporaryFolder {
  static bool write(const std::string &path, const std::string &text) {
    TemporaryFile file(path);
    return file.opened() && file.write(std::as_bytes(std::span(text))) &&
           file.publish();
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      found.insert(entry.path().filename());
    return found;
  }
  /// A process that is killed while it writes `target`.
  static void dieWriting(const std::string &target) {
    pid_t child = fork();
    if (child == 0) {
      TemporaryFile file(target);
      if (file.opened() && file.write(std::as_bytes(std::span("half"))))
        raise(SIGKILL);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
};
} // namespace

TEST_F(TemporaryFileTest, WhatIsNotPublishedIsGone) {
  put("a", "old");
  {
    TemporaryFile file(path("a"));
    ASSERT_TRUE(file.opened());
    ASSERT_TRUE(file.write(std::as_bytes(std::span("new"))));
    EXPECT_EQ(numFiles(), 2u);
  }
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(TemporaryFileTest, ANewFileIsAsPublicAsOthers) {
  mode_t before = umask(027);
  ASSERT_TRUE(write(path("a"), "x"));
  umask(before);
  struct stat facts;
  ASSERT_EQ(stat(path("a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

/// Whoever may write to the folder must not be able to say where we write.
TEST_F(TemporaryFileTest, NobodyKnowsTheName) {
  put("victim", "precious");
  for (const std::string &name :
       {std::string("a.tmp"), "a.tmp." + std::to_string(getpid())})
    std::filesystem::create_symlink(path("victim"), path(name));
  size_t planted = numFiles();
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    std::set<std::string> before = names();
    TemporaryFile file(path("a"));
    ASSERT_TRUE(file.opened());
    for (const std::string &name : names())
      if (!before.contains(name)) {
        EXPECT_TRUE(seen.insert(name).second) << name;
      }
  }
  EXPECT_EQ(seen.size(), 20u);
  const std::string text = "new";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  EXPECT_TRUE(data::writeFile(path("a"), parts).ok());
  EXPECT_EQ(get("a"), "new");
  EXPECT_EQ(get("victim"), "precious");
  EXPECT_EQ(numFiles(), planted + 1);
}

TEST_F(TemporaryFileTest, TheNextWriterRemovesWhatADeadOneLeft) {
  dieWriting(path("a"));
  dieWriting(path("a")); // which removes the first
  dieWriting(path("ab"));
  put("a.tmp-notes", "mine");
  put("a.tmp-0123456789abcdeF", "mine too");
  EXPECT_EQ(numFiles(), 4u);
  std::span<const std::byte> none[] = {{}};
  EXPECT_TRUE(data::writeFile(path("a"), none).ok());
  EXPECT_EQ(numFiles(), 4u) << "a, that of 'ab', and what is not ours";
  EXPECT_TRUE(program::writeFile(path("ab"), {}).ok());
  EXPECT_EQ(names(), (std::set<std::string>{"a", "ab", "a.tmp-notes",
                                            "a.tmp-0123456789abcdeF"}));
}

TEST_F(TemporaryFileTest, AWriterAtWorkIsLeftInPeace) {
  TemporaryFile first(path("a"));
  ASSERT_TRUE(first.opened());
  ASSERT_TRUE(write(path("a"), "second"));
  EXPECT_EQ(numFiles(), 2u);
  ASSERT_TRUE(first.write(std::as_bytes(std::span("first", 5))));
  ASSERT_TRUE(first.publish());
  EXPECT_EQ(get("a"), "first");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(TemporaryFileTest, ManyWritersOfOneFile) {
  constexpr int writers = 4, times = 50;
  for (int i = 0; i < writers; ++i)
    if (fork() == 0) {
      bool good = true;
      for (int k = 0; k < times; ++k)
        good &= write(path("a"), std::string(5000, static_cast<char>('a' + i)));
      _exit(good ? 0 : 1);
    }
  for (int i = 0; i < writers; ++i) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(get("a"), std::string(5000, get("a").front()));
  EXPECT_EQ(numFiles(), 1u);
}

/// The newest checkpoint under a name of its own, on another disk: a link, also
/// one that leads nowhere yet.
TEST_F(TemporaryFileTest, LinksStay) {
  std::filesystem::create_directory(path("disk"));
  std::filesystem::create_symlink("disk/middle", path("newest"));
  std::filesystem::create_symlink(path("disk/file"), path("disk/middle"));
  for (const char *text : {"first", "second"}) {
    ASSERT_TRUE(write(path("newest"), text));
    EXPECT_EQ(get("disk/file"), text);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(path("newest")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("disk/middle")));
  EXPECT_EQ(names(), (std::set<std::string>{"disk", "newest"}));
}

/// Replacing one of the links would end the loop, but not where anybody meant.
TEST_F(TemporaryFileTest, LinksThatLoopAreNotWritten) {
  std::filesystem::create_symlink("b", path("a"));
  std::filesystem::create_symlink("a", path("b"));
  TemporaryFile file(path("a"));
  EXPECT_FALSE(file.opened());
  EXPECT_EQ(errno, ELOOP);
  std::span<const std::byte> none[] = {{}};
  EXPECT_EQ(data::writeFile(path("a"), none).message(),
            "'" + path("a") +
                "': cannot be written: Too many levels of symbolic links");
  EXPECT_FALSE(program::writeFile(path("a"), {}).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path("a")));
  EXPECT_EQ(names(), (std::set<std::string>{"a", "b"}));
}
