// Where libraries of NVIDIA's are looked for: in folders made for the test,
// with copies of a library that no loader knows.
#include "Runtime/Cuda/Api/LibrarySearch.h"
#include "Data/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace mpc;
using namespace mpc::runtime;
namespace fs = std::filesystem;

namespace {
class Search : public TemporaryFolder {
protected:
  /// Puts a library of this test alone into `place` below the folder.
  void install(const std::string &place) {
    fs::create_directories(root() / place);
    fs::copy_file(MPC_TEST_STUB_LIBRARY, root() / place / name());
  }
  Result<SharedLibrary> open() const {
    LibrarySearch search(
        [this](const char *variable) -> const char * {
          auto found = environment.find(variable);
          return found == environment.end() ? nullptr : found->second.c_str();
        },
        root().string());
    return search.open(name());
  }
  /// Of its own for each test: the loader remembers what it has loaded.
  static std::string name() {
    return std::string("libmpcstub-") +
           testing::UnitTest::GetInstance()->current_test_info()->name() +
           ".so.1";
  }
  fs::path root() const { return folder; }

  std::map<std::string, std::string> environment;
};
} // namespace

#define EXPECT_FOUND()                                                         \
  do {                                                                         \
    Result<SharedLibrary> library = open();                                    \
    ASSERT_TRUE(library) << library.status().message();                        \
    EXPECT_TRUE(library->find("mpc_stub_answer"));                             \
  } while (false)

TEST_F(Search, inPipsPackagesOfAVirtualEnvironment) {
  environment["VIRTUAL_ENV"] = root() / "venv";
  install("venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  EXPECT_FOUND();
}

TEST_F(Search, inPipsPackagesOfTheUser) {
  environment["HOME"] = root() / "home";
  install("home/.local/lib/python3.11/site-packages/nvidia/nccl/lib");
  EXPECT_FOUND();
}

TEST_F(Search, inPipsPackagesOfTheSystem) {
  install("usr/local/lib/python3.12/dist-packages/nvidia/cu13/lib");
  EXPECT_FOUND();
}

TEST_F(Search, inTheToolkit) {
  install("usr/local/cuda-13.1/lib64");
  EXPECT_FOUND();
}

TEST_F(Search, inTheToolkitThatAVariableNames) {
  environment["CUDA_HOME"] = root() / "toolkit";
  install("toolkit/lib64");
  EXPECT_FOUND();
}

TEST_F(Search, inTheFoldersThatTheUserNames) {
  environment["MPC_CUDA_LIBRARY_PATH"] =
      (root() / "empty").string() + "::" + (root() / "mine").string();
  install("mine");
  EXPECT_FOUND();
}

/// A file that is none comes first where the user says so, and is told of.
TEST_F(Search, theUsersFoldersComeFirst) {
  environment["MPC_CUDA_LIBRARY_PATH"] = root() / "mine";
  fs::create_directories(root() / "mine");
  std::ofstream(root() / "mine" / name()) << "not a library";
  Result<SharedLibrary> library = open();
  ASSERT_FALSE(library);
  std::string text = library.status().message();
  size_t mine = text.find("the loader says of '" +
                          (root() / "mine" / name()).string() + "'");
  ASSERT_NE(mine, text.npos) << text;
  EXPECT_LT(mine, text.find("the loader says of '" + name() + "'")) << text;
}

TEST_F(Search, whatIsNowhereIsSaidWithThePlaces) {
  environment["VIRTUAL_ENV"] = "/opt/env";
  Result<SharedLibrary> library = open();
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().code(), StatusCode::DeviceUnsupported);
  std::string text = library.status().message();
  for (const std::string &part :
       {"expected library '" + name() +
            "' on the loader's path, or in one of: " + root().string(),
        std::string("/usr/local/cuda/lib64, "),
        std::string("/opt/env/lib/python3*/*-packages/nvidia/*/lib"),
        std::string("cannot open shared object file"),
        std::string("name its folder in the variable MPC_CUDA_LIBRARY_PATH")})
    EXPECT_NE(text.find(part), text.npos) << part << " in " << text;
}
