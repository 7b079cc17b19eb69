// Where the toolkit is looked for, with folders that are made up.
#include "mpc/Target/Cuda.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <map>

using namespace mpc::target;
namespace fs = llvm::sys::fs;

namespace {

class ToolkitTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("mpc-toolkit-test", folder));
    for (const char *name : kNames)
      unsetenv(name);
    setenv("PATH", "", 1);
  }
  void TearDown() override {
    fs::remove_directories(folder);
    for (auto &[name, value] : saved)
      value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
  }

  /// A toolkit in a folder of the test, with libdevice and, maybe, tools.
  std::string make(const char *name, std::vector<std::string> tools = {}) {
    std::string root = (folder + "/" + name).str();
    EXPECT_FALSE(fs::create_directories(root + "/nvvm/libdevice"));
    EXPECT_FALSE(fs::create_directories(root + "/bin"));
    touch(root + "/nvvm/libdevice/libdevice.10.bc");
    for (const std::string &tool : tools) {
      touch(root + "/bin/" + tool);
      EXPECT_FALSE(fs::setPermissions(root + "/bin/" + tool,
                                      fs::all_read | fs::all_exe));
    }
    return root;
  }

  static void touch(const std::string &path) {
    std::error_code failed;
    llvm::raw_fd_ostream file(path, failed);
    EXPECT_FALSE(failed);
  }

  /// The folder that is found, or the message of the error.
  static std::string find(const std::string &folder = "") {
    auto toolkit = CudaToolkit::find(folder);
    return toolkit ? toolkit->folder : llvm::toString(toolkit.takeError());
  }

  static constexpr const char *kNames[] = {"CUDA_HOME", "CUDA_ROOT",
                                           "CUDA_PATH", "MPC_PTXAS", "PATH"};
  static std::map<const char *, std::string> environment() {
    std::map<const char *, std::string> values;
    for (const char *name : kNames)
      if (const char *value = getenv(name))
        values[name] = value;
    return values;
  }
  std::map<const char *, std::string> saved = environment();
  llvm::SmallString<128> folder;
};

TEST_F(ToolkitTest, TheOptionIsTheOnlyPlace) {
  std::string home = make("home"), option = make("option");
  setenv("CUDA_HOME", home.c_str(), 1);
  EXPECT_EQ(find(option), option);
  EXPECT_EQ(find("/nowhere"),
            "expected nvvm/libdevice/libdevice.10.bc in the CUDA toolkit, but "
            "found none in: /nowhere; install CUDA 13, or say where it is with "
            "--cuda-path or CUDA_HOME");
}

TEST_F(ToolkitTest, TheEnvironmentInOrderThenThePath) {
  std::string path = make("path", {"nvcc", "ptxas"});
  setenv("PATH", (path + "/bin").c_str(), 1);
  EXPECT_EQ(find(), path);
  std::string third = make("third"), second = make("second"),
              first = make("first");
  setenv("CUDA_PATH", third.c_str(), 1);
  EXPECT_EQ(find(), third);
  setenv("CUDA_ROOT", second.c_str(), 1);
  EXPECT_EQ(find(), second);
  setenv("CUDA_HOME", first.c_str(), 1);
  EXPECT_EQ(find(), first);
  setenv("CUDA_HOME", "/nowhere", 1);
  EXPECT_EQ(find(), second);
}

TEST_F(ToolkitTest, LinksOfThePathAreFollowed) {
  std::string real = make("real", {"ptxas"});
  std::string links = (folder + "/links").str();
  ASSERT_FALSE(fs::create_directories(links));
  ASSERT_FALSE(fs::create_link(real + "/bin/ptxas", links + "/ptxas"));
  setenv("PATH", links.c_str(), 1);
  llvm::SmallString<128> resolved;
  ASSERT_FALSE(fs::real_path(real, resolved));
  EXPECT_EQ(find(), resolved.str().str());
}

TEST_F(ToolkitTest, PtxasMayBeMissingOrElsewhere) {
  std::string none = make("none"), with = make("with", {"ptxas"});
  EXPECT_EQ(CudaToolkit::find(none)->ptxas, "");
  EXPECT_EQ(CudaToolkit::find(with)->ptxas, with + "/bin/ptxas");
  setenv("MPC_PTXAS", (with + "/bin/ptxas").c_str(), 1);
  EXPECT_EQ(CudaToolkit::find(none)->ptxas, with + "/bin/ptxas");
  setenv("MPC_PTXAS", "/nowhere/ptxas", 1);
  EXPECT_EQ(find(none), "expected MPC_PTXAS to name a program, but got "
                        "'/nowhere/ptxas'");
}

} // namespace
