#include "mpc/Data/Dataset.h"

#include "TemporaryFolder.h"
#include "mpc/Data/Npy.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mpc;
using namespace mpc::data;

namespace {

template <typename T>
Tensor make(ElementFormat format, Shape shape, std::vector<T> values) {
  Tensor tensor{format, std::move(shape), Bytes(values.size() * sizeof(T))};
  if (!values.empty())
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}
template <typename T> std::vector<T> values(const Bytes &bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

constexpr ElementFormat kF32{ElementFormat::Float, 4};
constexpr ElementFormat kI32{ElementFormat::Signed, 4};

/// A program that takes batches of 2: x, label, and a table for all batches.
struct DatasetTest : TemporaryFolder {
  DatasetTest() {
    write("x.npy", make<float>(kF32, {3, 2}, {0, 1, 2, 3, 4, 5}));
    write("label.npy", make<int32_t>(kI32, {3}, {7, 8, 9}));
    write("table.npy", make<float>(kF32, {3}, {10, 20, 30}));
  }
  void write(const std::string &name, const Tensor &tensor) {
    ASSERT_TRUE(writeNpy(path(name), tensor).ok());
  }
  Result<Dataset> load() { return Dataset::load(specs, files, options); }
  std::string message() {
    Result<Dataset> result = load();
    return result ? "accepted" : result.status().message();
  }

  std::vector<InputSpec> specs = {{"x", DType::F32, {2, 2}},
                                  {"label", DType::I32, {2}},
                                  {"table", DType::F32, {3}}};
  std::vector<InputFileChoice> files = {{"label", path("label.npy")},
                                        {"x", path("x.npy")},
                                        {"table", path("table.npy")}};
  DatasetOptions options;
};

TEST_F(DatasetTest, CutsBatchesInAnyOrder) {
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->numSamples(), 3u);
  EXPECT_EQ(set->batchSize(), 2u);
  EXPECT_EQ(set->numFullBatches(), 1u);
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{2, 0});
  EXPECT_EQ(values<float>(batch.inputs[0]), (std::vector<float>{4, 5, 0, 1}));
  EXPECT_EQ(values<int32_t>(batch.inputs[1]), (std::vector<int32_t>{9, 7}));
  EXPECT_EQ(values<float>(batch.inputs[2]), (std::vector<float>{10, 20, 30}));
  EXPECT_EQ(batch.weight, 2u);
}

TEST_F(DatasetTest, TakesNumbersAloneForOneSample) {
  specs = {{"t", DType::F32, {}}};
  write("t.npy", make<float>(kF32, {}, {2}));
  files = {{"t", path("t.npy")}};
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_FALSE(set->isBatched());
  EXPECT_EQ(set->numSamples(), 1u);
  EXPECT_EQ(set->numFullBatches(), 1u);
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{0});
  EXPECT_EQ(values<float>(batch.inputs[0]), (std::vector<float>{2}));
}

TEST_F(DatasetTest, PadsWithIgnoredLabels) {
  options.labelInput = "label";
  options.ignoredLabel = 8;
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{2});
  EXPECT_EQ(values<float>(batch.inputs[0]), (std::vector<float>{4, 5, 4, 5}));
  EXPECT_EQ(values<int32_t>(batch.inputs[1]), (std::vector<int32_t>{9, 8}));
  EXPECT_EQ(batch.realSamples, 1u);
  EXPECT_EQ(batch.weight, 1u);
  // An ignored label in the data counts neither.
  set->fill(batch, std::vector<uint64_t>{0, 1});
  EXPECT_EQ(batch.realSamples, 2u);
  EXPECT_EQ(batch.weight, 1u);
}

TEST_F(DatasetTest, FindsTheOneInputOfLabelsThatMayNotCount) {
  specs[1].labels = LabelRange{10, 8};
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->labelInput(), "label");
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{0, 1});
  EXPECT_EQ(batch.weight, 1u);
  specs[1].labels = LabelRange{10, std::nullopt};
  set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->labelInput(), "");
}

TEST_F(DatasetTest, LabelsOutsideOfTheClassesAreErrors) {
  specs[1].labels = LabelRange{10, std::nullopt};
  EXPECT_EQ(message(), "accepted");
  specs[1].labels = LabelRange{9, std::nullopt};
  EXPECT_CONTAINS(message(),
                  "label.npy', for input 'label': expected a label, "
                  "index or length in [0, 9), but got 9 in sample 2");
  specs[1].labels = LabelRange{9, 9};
  EXPECT_EQ(message(), "accepted");
  specs[1].labels = LabelRange{9, -1};
  EXPECT_CONTAINS(message(), "in [0, 9), or -1, which does not count, but got "
                             "9 in sample 2");
}

TEST_F(DatasetTest, PadsWithWhatTheLossIgnores) {
  specs[1].labels = LabelRange{10, -1};
  options.labelInput = "label";
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{2});
  EXPECT_EQ(values<int32_t>(batch.inputs[1]), (std::vector<int32_t>{9, -1}));
  options.ignoredLabel = -2;
  EXPECT_CONTAINS(message(), "expected the label of input 'label' that the "
                             "model's loss does not count, but got -2, and "
                             "the loss ignores -1");
}

TEST_F(DatasetTest, WhatMayBeMissingIsZeros) {
  files = {{"x", path("x.npy")}};
  EXPECT_CONTAINS(message(), "no file for input 'label'");
  specs[1].mayBeMissing = specs[2].mayBeMissing = true;
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->numSamples(), 3u);
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{2});
  EXPECT_EQ(values<float>(batch.inputs[0]), (std::vector<float>{4, 5, 4, 5}));
  EXPECT_EQ(values<int32_t>(batch.inputs[1]), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(values<float>(batch.inputs[2]), (std::vector<float>{0, 0, 0}));
}

TEST_F(DatasetTest, ReadsRawFiles) {
  std::vector<float> raw = {1, 2, 3, 4, 5, 6, 7, 8};
  files[1].path =
      put("x.raw", std::string(reinterpret_cast<char *>(raw.data()), 24));
  EXPECT_EQ(message(), "accepted");
  put("x.raw", std::string(23, 'a'));
  EXPECT_CONTAINS(message(), "expected a multiple of 8 bytes for input 'x' "
                             "(2x2xf32), but got 23");
  files[1].path = path("x.npy");
  files[2].path = put("table.bin", std::string(24, 'a'));
  EXPECT_CONTAINS(message(), "expected 12 bytes for input 'table' (3xf32), but "
                             "got 24");
  files[2].path = put("table.txt", "1 2 3");
  EXPECT_CONTAINS(message(), "expected a file named .npy, .raw or .bin");
}

TEST_F(DatasetTest, FlagsAreZeroOrOne) {
  specs[0].type = DType::I1;
  files[1].path = put("x.raw", std::string({0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(message(), "accepted");
  put("x.raw", std::string({0, 1, 2, 0, 0, 1}));
  EXPECT_CONTAINS(message(), "x.raw': expected flags that are 0 or 1, but "
                             "element 2 is 2");
}

TEST_F(DatasetTest, TypesAreConvertedOnlyWhenAsked) {
  write("x.npy",
        make<double>({ElementFormat::Float, 8}, {3, 2}, {0, 1, 2, 3, 4, 5}));
  EXPECT_CONTAINS(message(), "x.npy': expected f32 for input 'x', but got f64; "
                             "--convert converts it");
  options.convertTypes = true;
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  Batch batch = set->makeBatch();
  set->fill(batch, std::vector<uint64_t>{1, 1});
  EXPECT_EQ(values<float>(batch.inputs[0]), (std::vector<float>{2, 3, 2, 3}));
  write("label.npy", make<double>({ElementFormat::Float, 8}, {3}, {0, 0.5, 1}));
  EXPECT_CONTAINS(message(),
                  "value 0.5 at element 1 cannot be converted to i32");
}

TEST_F(DatasetTest, WrongShapes) {
  write("x.npy", make<float>(kF32, {2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_CONTAINS(message(), "x.npy': expected shape Nx2xf32 with N > 0 for "
                             "input 'x', but got 2x3xf32");
  write("x.npy", make<float>(kF32, {0, 2}, {}));
  EXPECT_CONTAINS(message(), "with N > 0");
  write("x.npy", make<float>(kF32, {}, {1}));
  EXPECT_CONTAINS(message(), "but got f32");
  // The type is the input's, not the file's.
  write("x.npy", make<double>({ElementFormat::Float, 8}, {3}, {0, 1, 2}));
  EXPECT_CONTAINS(message(), "expected shape Nx2xf32 with N > 0 for input "
                             "'x', but got 3xf64");
  write("x.npy", make<float>(kF32, {1, 2}, {0, 1}));
  EXPECT_CONTAINS(message(), "label.npy': expected 1 samples as in ");
  write("x.npy", make<float>(kF32, {3, 2}, {0, 1, 2, 3, 4, 5}));
  write("table.npy", make<float>(kF32, {2}, {10, 20}));
  EXPECT_CONTAINS(message(), "expected shape 3xf32 for input 'table'");
}

TEST_F(DatasetTest, NonFiniteValues) {
  write("x.npy", make<float>(kF32, {3, 2}, {0, 1, 2, NAN, 4, 5}));
  EXPECT_CONTAINS(message(), "x.npy': expected finite values, but got nan at "
                             "element 3; --allow-non-finite accepts it");
  options.allowNonFinite = true;
  EXPECT_EQ(message(), "accepted");
}

TEST_F(DatasetTest, NamesOfInputs) {
  files.pop_back();
  EXPECT_EQ(message(), "no file for input 'table'; give --input table=FILE");
  files.push_back({"y", path("x.npy")});
  EXPECT_EQ(message(),
            "the program has no input 'y'; it has 'x', 'label', 'table'");
  files.back() = {"x", path("x.npy")};
  EXPECT_EQ(message(), "two files for input 'x'");
}

TEST_F(DatasetTest, LabelInputMustBeLabels) {
  options.labelInput = "y";
  EXPECT_EQ(message(), "the program has no input 'y'");
  options.labelInput = "x";
  EXPECT_EQ(message(),
            "expected input 'x' to hold i32 or i64 labels of a batch "
            "of 2, but got 2x2xf32");
}

} // namespace
