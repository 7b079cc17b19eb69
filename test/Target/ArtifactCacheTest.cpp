// What a cache of kernels believes, and what not.
#include "mpc/Target/ArtifactCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc::target;
namespace fs = llvm::sys::fs;

namespace {

const std::vector<uint8_t> kData = {1, 2, 3, 0, 255};

class ArtifactCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("mpc-cache-test", top));
    folder = (top + "/a/cache").str();
    mask = umask(0); // The modes are the cache's, not the user's habits.
  }
  void TearDown() override {
    umask(mask);
    fs::remove_directories(top);
  }

  ArtifactCache open(CacheTrust trust = CacheTrust::Private) {
    return ArtifactCache::open(folder, trust, [this](const std::string &text) {
      warnings.push_back(text);
    });
  }
  /// A private cache that holds kData as "k".
  ArtifactCache filled() {
    ArtifactCache cache = open();
    cache.store("k", kData);
    EXPECT_EQ(cache.find("k"), kData);
    EXPECT_TRUE(warnings.empty());
    return cache;
  }
  static unsigned modeOf(const std::string &path) {
    struct stat status = {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }
  unsigned countEntries() {
    unsigned count = 0;
    std::error_code failed;
    for (fs::directory_iterator it(folder, failed), end; it != end && !failed;
         it.increment(failed))
      ++count;
    return count;
  }
  void expectWarning(const std::string &part) {
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
  }

  llvm::SmallString<128> top;
  std::string folder;
  mode_t mask = 0;
  std::vector<std::string> warnings;
};

TEST_F(ArtifactCacheTest, MakesWhatOnlyTheUserCanUse) {
  filled();
  EXPECT_EQ(modeOf(folder), 0700u);
  EXPECT_EQ(modeOf(folder + "/k"), 0600u);
  EXPECT_EQ(countEntries(), 1u); // no temporary file is left
}

TEST_F(ArtifactCacheTest, SharedIsForEverybody) {
  open(CacheTrust::Shared).store("k", kData);
  EXPECT_EQ(modeOf(folder), 0777u);
  EXPECT_EQ(modeOf(folder + "/k"), 0666u);
  EXPECT_EQ(open(CacheTrust::Shared).find("k"), kData);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(ArtifactCacheTest, FolderThatOthersCanWriteIsNotUsed) {
  filled();
  for (unsigned mode : {0720, 0702, 01777}) {
    warnings.clear();
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    ArtifactCache cache = open();
    expectWarning("can be written by others (mode ");
    EXPECT_EQ(cache.find("k"), std::nullopt);
    cache.store("more", kData);
    EXPECT_EQ(countEntries(), 1u);
    EXPECT_EQ(open(CacheTrust::Shared).find("k"), kData);
  }
}

TEST_F(ArtifactCacheTest, FolderOfSomebodyElseIsNotUsed) {
  filled();
  if (geteuid() != 0)
    folder = "/usr"; // root's
  else if (chown(folder.c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "this root cannot give a folder away";
  ArtifactCache cache = open();
  expectWarning("belongs to user ");
  EXPECT_EQ(cache.find("k"), std::nullopt);
}

TEST_F(ArtifactCacheTest, EntryThatOthersCanWriteIsReplaced) {
  ArtifactCache cache = filled();
  cache.store("other", kData);
  for (const char *name : {"/k", "/other"})
    ASSERT_EQ(chmod((folder + name).c_str(), 0606), 0);
  EXPECT_EQ(cache.find("k"), std::nullopt);
  EXPECT_EQ(cache.find("other"), std::nullopt);
  expectWarning("the kernel 'k' in '" + folder + "' can be written by others");
  EXPECT_EQ(open(CacheTrust::Shared).find("k"), kData);
  cache.store("k", kData);
  EXPECT_EQ(cache.find("k"), kData);
  EXPECT_EQ(modeOf(folder + "/k"), 0600u);
}

TEST_F(ArtifactCacheTest, EntryOfSomebodyElseIsNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  ArtifactCache cache = filled();
  if (chown((folder + "/k").c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "this root cannot give a file away";
  EXPECT_EQ(cache.find("k"), std::nullopt);
  expectWarning("belongs to user 65534");
}

TEST_F(ArtifactCacheTest, EntryThatIsNoFileIsNotUsed) {
  ArtifactCache cache = filled();
  ASSERT_EQ(symlink("k", (folder + "/link").c_str()), 0);
  ASSERT_EQ(mkfifo((folder + "/pipe").c_str(), 0600), 0);
  ASSERT_EQ(mkdir((folder + "/folder").c_str(), 0700), 0);
  for (const char *key : {"link", "pipe", "folder"})
    EXPECT_EQ(cache.find(key), std::nullopt) << key;
}

TEST_F(ArtifactCacheTest, WhatWasCheckedIsWhatIsUsed) {
  ArtifactCache cache = filled();
  ASSERT_FALSE(fs::rename(folder, top + "/away"));
  ASSERT_FALSE(fs::create_directory(folder)); // another's
  EXPECT_EQ(cache.find("k"), kData);
  cache.store("more", kData);
  EXPECT_EQ(countEntries(), 0u);
  EXPECT_TRUE(fs::exists(top + "/away/more"));
}

TEST_F(ArtifactCacheTest, NoFolderNoCache) {
  folder = "/proc/no-such-folder";
  ArtifactCache cache = open();
  expectWarning("cannot write to '/proc/no-such-folder': ");
  cache.store("k", kData);
  EXPECT_EQ(cache.find("k"), std::nullopt);
  folder.clear();
  warnings.clear();
  EXPECT_EQ(open().find("k"), std::nullopt);
  EXPECT_TRUE(warnings.empty());
}

} // namespace
