#include "mpc/Data/Idx.h"
#include "TemporaryFolder.h"
#include "mpc/Data/Dataset.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

using namespace mpc;
using namespace mpc::data;

namespace {
class Idx : public TemporaryFolder {
protected:
  /// Writes `bytes` as `name`, as gzip packs them where that ends in .gz.
  std::string write(const std::string &name, const std::string &bytes) {
    std::string path = TemporaryFolder::path(name);
    bool isPacked = name.ends_with(".gz");
    gzFile file = gzopen(path.c_str(), isPacked ? "wb" : "wbT");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path;
  }
  std::string messageOf(const std::string &path) {
    return readIdx(path).status().message();
  }
};

DatasetOptions converting() {
  DatasetOptions options;
  options.convertTypes = true;
  return options;
}

/// Three images of 2 x 2.
const std::string kImages("\0\0\x08\x03\0\0\0\x03\0\0\0\x02\0\0\0\x02"
                          "abcdefghijkl",
                          28);
} // namespace

TEST_F(Idx, PlainAndPackedAreTheSame) {
  for (const char *name : {"images-idx3-ubyte", "images-idx3-ubyte.gz"}) {
    Result<Tensor> tensor = readIdx(write(name, kImages));
    ASSERT_TRUE(tensor) << tensor.status().message();
    EXPECT_EQ(tensor->shape, Shape({3, 2, 2}));
    EXPECT_EQ(tensor->format.name(), "u8");
    EXPECT_EQ(std::memcmp(tensor->bytes.data(), "abcdefghijkl", 12), 0);
  }
}

// RFC 1952, 2.2: members follow one another, and so do what they hold.
TEST_F(Idx, MembersAreOneAfterTheOther) {
  for (size_t cut : {1, 16, 20, 28}) {
    std::string path = write("x-ubyte.gz", kImages.substr(0, cut));
    gzFile file = gzopen(path.c_str(), "ab"); // A member of its own.
    std::string rest = kImages.substr(cut);
    gzwrite(file, rest.data(), static_cast<unsigned>(rest.size()));
    gzclose(file);
    Result<Tensor> tensor = readIdx(path);
    ASSERT_TRUE(tensor) << cut << ": " << tensor.status().message();
    EXPECT_EQ(std::memcmp(tensor->bytes.data(), "abcdefghijkl", 12), 0);
  }
}

static uint64_t addressesInUse() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// A limit on addresses stands for a small machine: the file says 4 GB, which
// its packed bytes could be, and holds few.
TEST_F(Idx, MemoryIsTakenAsDataCome) {
  std::string noise(5 << 20, 'x');
  uint32_t state = 1;
  for (char &byte : noise)
    byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  std::string path = write(
      "x-ubyte.gz", std::string("\0\0\x08\x01\xff\xff\xff\xff", 8) + noise);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  // Sanitizers have taken more than that.
  rlimit small = {addressesInUse() + (uint64_t(2) << 30), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  std::string message = messageOf(path);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(message,
            "'" + path + "': expected an idx file, but it ends too early");
}

TEST_F(Idx, NumbersAreBigEndian) {
  std::string text("\0\0\x0c\x01\0\0\0\x02\0\0\1\2\xff\xff\xff\xfe", 16);
  Result<Tensor> tensor = readIdx(write("numbers.idx", text));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->format.name(), "i32");
  EXPECT_EQ(valueAsText(*tensor, 0), "258");
  EXPECT_EQ(valueAsText(*tensor, 1), "-2");
  std::string real("\0\0\x0d\x01\0\0\0\x01\x3f\xc0\0\0", 12);
  EXPECT_EQ(valueAsText(*readIdx(write("real.idx", real)), 0), "1.5");
}

TEST_F(Idx, ImagesHaveAChannelWhereOneIsWanted) {
  std::string path = write("x-idx3-ubyte.gz", kImages);
  for (const Shape &shape : {Shape{3, 1, 2, 2}, Shape{3, 2, 2, 1}}) {
    InputFileChoice file{"x", path};
    Result<Dataset> set =
        Dataset::load({{"x", DType::F32, shape}}, {&file, 1}, converting());
    ASSERT_TRUE(set) << set.status().message();
    Batch batch = set->makeBatch();
    uint64_t order[] = {2, 1, 0};
    set->fill(batch, order);
    float first;
    std::memcpy(&first, batch.inputs[0].data(), sizeof first);
    EXPECT_EQ(first, 'i');
  }
  InputFileChoice file{"x", path};
  Result<Dataset> set = Dataset::load({{"x", DType::F32, {3, 2, 2, 2}}},
                                      {&file, 1}, converting());
  EXPECT_CONTAINS(set.status().message(),
                  "expected shape Nx2x2x2xu8 with N > 0 for input 'x', but got "
                  "3x2x2xu8");
}

TEST_F(Idx, WhatIsDamagedIsRefused) {
  auto expect = [&](const std::string &name, const std::string &bytes,
                    const std::string &what) {
    std::string path = write(name, bytes);
    EXPECT_EQ(messageOf(path),
              "'" + path + "': expected an idx file, but " + what);
  };
  expect("a-ubyte", kImages.substr(0, 3), "it ends too early");
  expect("b-ubyte", kImages.substr(0, 15), "it ends too early");
  expect("c-ubyte", kImages.substr(0, 27), "it ends too early");
  expect("c-ubyte.gz", kImages.substr(0, 27), "it ends too early");
  expect("d-ubyte", kImages + "m", "there is more behind its values");
  expect("d-ubyte.gz", kImages + "m", "there is more behind its values");
  expect("e-ubyte", "\x89PNG....", "its first bytes are those of none");
  std::string huge(
      "\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
  expect("f-ubyte", huge + "abc", "its dims are too large");
  std::string large("\0\0\x08\x01\xff\xff\xff\xff", 8);
  expect("g-ubyte.gz", large + "abc", "it ends too early");
}

TEST_F(Idx, DamagedPackingIsRefused) {
  std::string path = write("x-ubyte.gz", kImages);
  Result<InputFile> file = InputFile::open(path);
  Bytes packed = *file->read(file->size());
  auto messageWith = [&](Bytes bytes) {
    std::span<const std::byte> parts[] = {bytes};
    EXPECT_TRUE(writeFile(OutputFile(path), parts).ok());
    return messageOf(path);
  };
  std::string prefix = "'" + path + "': expected an idx file, but ";
  Bytes damaged = packed;
  damaged[damaged.size() - 6] ^= std::byte(1); // Of the checksum.
  EXPECT_EQ(messageWith(damaged), prefix + "its packed data are damaged");
  Bytes cut(packed.begin(), packed.end() - 4);
  EXPECT_EQ(messageWith(cut), prefix + "its packed data end too early");
  Bytes longer = packed;
  longer.push_back(std::byte(0));
  EXPECT_EQ(messageWith(longer), prefix + "there is more behind its values");
}
