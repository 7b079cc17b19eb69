// A folder of its own for each test, gone afterwards.
#ifndef MPC_TEST_DATA_TEMPORARYFOLDER_H
#define MPC_TEST_DATA_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

class TemporaryFolder : public ::testing::Test {
protected:
  TemporaryFolder() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "mpc-data-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string put(const std::string &name, const std::string &content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string get(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  size_t numFiles() const {
    auto begin = std::filesystem::directory_iterator(folder);
    return static_cast<size_t>(std::distance(begin, {}));
  }

  std::string folder;
};

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

#endif // MPC_TEST_DATA_TEMPORARYFOLDER_H
