// Which names are of one file.
#include "mpc/Support/Links.h"

#include "../Data/TemporaryFolder.h"

using namespace mpc;

namespace {

using Links = TemporaryFolder;

TEST_F(Links, AFileIsTheSameByAnyName) {
  std::string file = put("a", "text"), other = put("b", "text");
  EXPECT_TRUE(isSameFile(file, file));
  EXPECT_TRUE(isSameFile(file, path("./a")));
  EXPECT_FALSE(isSameFile(file, other));
  std::filesystem::create_symlink(file, path("soft"));
  std::filesystem::create_hard_link(file, path("hard"));
  EXPECT_TRUE(isSameFile(file, path("soft")));
  EXPECT_TRUE(isSameFile(path("soft"), path("hard")));
}

/// What a run is to write need not be there yet.
TEST_F(Links, SoIsOneThatIsNotThereYet) {
  EXPECT_TRUE(isSameFile(path("new"), path("./new")));
  EXPECT_FALSE(isSameFile(path("new"), path("newer")));
  EXPECT_FALSE(isSameFile(path("new"), put("a", "")));
  std::filesystem::create_symlink(path("new"), path("soft"));
  EXPECT_TRUE(isSameFile(path("soft"), path("new")));
}

/// A terminal or a pipe may be read and written at once; "" is no file.
TEST_F(Links, DevicesAndNoNameDoNotCount) {
  EXPECT_FALSE(isSameFile("/dev/null", "/dev/null"));
  EXPECT_FALSE(isSameFile("", ""));
  EXPECT_FALSE(isSameFile(put("a", ""), ""));
}

TEST(Descriptors, HaveNames) {
  EXPECT_EQ(descriptorOf("/dev/stdout"), 1);
  EXPECT_EQ(descriptorOf("/dev/stderr"), 2);
  EXPECT_EQ(descriptorOf("/dev/fd/63"), 63);
  EXPECT_EQ(descriptorOf("/proc/self/fd/7"), 7);
  for (const char *other : {"/dev/null", "/dev/fd/", "/dev/fd/x", "/dev/fd/1/2",
                            "dev/stdout", "stdout", ""})
    EXPECT_EQ(descriptorOf(other), std::nullopt) << other;
}

} // namespace
