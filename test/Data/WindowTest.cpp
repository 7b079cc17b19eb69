// Windows of streams as samples.
#include "mpc/Data/Dataset.h"

#include "TemporaryFolder.h"
#include "mpc/Data/Npy.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mpc;
using namespace mpc::data;

namespace {

constexpr ElementFormat kF32{ElementFormat::Float, 4};
constexpr ElementFormat kI32{ElementFormat::Signed, 4};
constexpr ElementFormat kI64{ElementFormat::Signed, 8};
constexpr ElementFormat kU16{ElementFormat::Unsigned, 2};

template <typename T> std::vector<T> values(const Bytes &bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}
using Ints = std::vector<int32_t>;
using Places = std::vector<uint64_t>;

/// A language model that takes batches of 2 windows of 3 tokens, and a stream
/// of the ten tokens 10 to 19.
struct WindowTest : TemporaryFolder {
  WindowTest() {
    std::vector<uint16_t> tokens(10);
    std::iota(tokens.begin(), tokens.end(), uint16_t(10));
    write("stream.npy", kU16, {10}, tokens);
    options.windows = {{"tokens", 0}, {"labels", 1}};
  }
  template <typename T>
  void write(const std::string &name, ElementFormat format, Shape shape,
             const std::vector<T> &values) {
    Tensor tensor{format, std::move(shape), Bytes(values.size() * sizeof(T))};
    if (!values.empty())
      std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    ASSERT_TRUE(writeNpy(path(name), tensor).ok());
  }
  Result<Dataset> load() { return Dataset::load(specs, files, options); }
  std::string message() {
    Result<Dataset> result = load();
    return result ? "accepted" : result.status().message();
  }
  /// Both inputs at `places`.
  std::pair<Ints, Ints> batchAt(const Places &places) {
    Result<Dataset> set = load();
    EXPECT_TRUE(set) << set.status().message();
    if (!set)
      return {};
    Batch batch = set->makeBatch();
    set->fill(batch, places);
    return {values<int32_t>(batch.inputs[0]), values<int32_t>(batch.inputs[1])};
  }

  std::vector<InputSpec> specs = {
      {"tokens", DType::I32, {2, 3}},
      {"labels", DType::I32, {2, 3}, LabelRange{20, -100}}};
  std::vector<InputFileChoice> files = {{"tokens", path("stream.npy")},
                                        {"labels", path("stream.npy")}};
  DatasetOptions options;
};

using Both = std::pair<Ints, Ints>;

TEST_F(WindowTest, BeginAtAnyPlace) {
  EXPECT_EQ(batchAt({0, 6}),
            (Both{{10, 11, 12, 16, 17, 18}, {11, 12, 13, 17, 18, 19}}));
  EXPECT_EQ(batchAt({5, 1}),
            (Both{{15, 16, 17, 11, 12, 13}, {16, 17, 18, 12, 13, 14}}));
}

TEST_F(WindowTest, CountPlacesAndThoseThatDoNotOverlap) {
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_TRUE(set->hasWindows());
  // The label of the last token is not there: windows begin at 0 to 6.
  EXPECT_EQ(set->numPlaces(), 7u);
  EXPECT_EQ(set->numSamples(), 3u);
  EXPECT_EQ(set->placeOf(0), 0u);
  EXPECT_EQ(set->placeOf(2), 6u);
  options.windows = {{"tokens", 0}, {"labels", 7}};
  set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->numPlaces(), 1u);
  EXPECT_EQ(set->numSamples(), 1u);
}

TEST_F(WindowTest, PadTheLastBatchWithLabelsThatDoNotCount) {
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->labelInput(), "labels");
  Batch batch = set->makeBatch();
  set->fill(batch, Places{6});
  EXPECT_EQ(values<int32_t>(batch.inputs[0]), (Ints{16, 17, 18, 16, 17, 18}));
  EXPECT_EQ(values<int32_t>(batch.inputs[1]),
            (Ints{17, 18, 19, -100, -100, -100}));
  EXPECT_EQ(batch.weight, 3u);
  EXPECT_EQ(batch.realSamples, 1u);
}

TEST_F(WindowTest, MayHaveStreamsOfTheirOwn) {
  write("labels.npy", kI32, {10}, Ints{0, 1, -100, -100, 4, 5, 6, 7, 8, 9});
  files[1].path = path("labels.npy");
  options.windows = {{"labels", 0}, {"tokens", 0}};
  EXPECT_EQ(batchAt({1, 7}),
            (Both{{11, 12, 13, 17, 18, 19}, {1, -100, -100, 7, 8, 9}}));
}

TEST_F(WindowTest, TakeRowsOfSeveralElements) {
  specs = {{"series", DType::F32, {2, 2, 3}}, {"scale", DType::F32, {1}}};
  std::vector<float> series(12);
  std::iota(series.begin(), series.end(), 0.0f);
  write("series.npy", kF32, {4, 3}, series);
  write("scale.npy", kF32, {1}, std::vector<float>{9});
  files = {{"series", path("series.npy")}, {"scale", path("scale.npy")}};
  options.windows = {{"series", 1}};
  Result<Dataset> set = load();
  ASSERT_TRUE(set) << set.status().message();
  EXPECT_EQ(set->numPlaces(), 2u);
  Batch batch = set->makeBatch();
  set->fill(batch, Places{1, 0});
  EXPECT_EQ(values<float>(batch.inputs[0]),
            (std::vector<float>{6, 7, 8, 9, 10, 11, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(values<float>(batch.inputs[1]), (std::vector<float>{9}));
  write("series.npy", kF32, {3, 4}, series);
  EXPECT_CONTAINS(message(), "expected a stream of shape Nx3xf32 for the "
                             "windows of input 'series', but got 3x4xf32");
}

TEST_F(WindowTest, ReadBareValuesOfTheProgramsType) {
  Ints tokens = {3, 1, 4, 1, 5};
  put("stream.raw", std::string(reinterpret_cast<const char *>(tokens.data()),
                                tokens.size() * sizeof(int32_t)));
  files = {{"tokens", path("stream.raw")}, {"labels", path("stream.raw")}};
  EXPECT_EQ(batchAt({0, 1}), (Both{{3, 1, 4, 1, 4, 1}, {1, 4, 1, 4, 1, 5}}));
}

TEST_F(WindowTest, ConvertWithoutBeingAskedWhatCannotBeLost) {
  EXPECT_EQ(message(), "accepted"); // u16
  write("stream.npy", kI64, {4}, std::vector<int64_t>{1, 2, 3, 4});
  EXPECT_CONTAINS(message(), "expected i32 for the windows of input 'tokens', "
                             "but got i64; --convert converts it");
  options.convertTypes = true;
  EXPECT_EQ(batchAt({0, 0}).second, (Ints{2, 3, 4, 2, 3, 4}));
  write("stream.npy", kI64, {4}, std::vector<int64_t>{1, 2, 1LL << 40, 4});
  EXPECT_CONTAINS(message(), "value 1099511627776 at element 2 cannot be "
                             "converted to i32");
}

TEST_F(WindowTest, AreNoLongerThanTheStream) {
  write("stream.npy", kU16, {3}, std::vector<uint16_t>{1, 2, 3});
  EXPECT_CONTAINS(message(),
                  "expected at least one window of 3 rows for input 'labels', "
                  "1 behind the place of a sample, but got 3xu16");
  write("stream.npy", kU16, {0}, std::vector<uint16_t>{});
  EXPECT_CONTAINS(message(), "expected at least one window of 3 rows for input "
                             "'tokens', but got 0xu16");
  write("stream.npy", kU16, {}, std::vector<uint16_t>{7});
  EXPECT_CONTAINS(message(), "expected a stream of shape Nxu16");
  write("stream.npy", kU16, {10}, std::vector<uint16_t>(10));
  for (uint64_t offset : {uint64_t(8), uint64_t(10), UINT64_MAX}) {
    options.windows[1].offset = offset;
    EXPECT_CONTAINS(message(), "expected at least one window of 3 rows");
  }
}

TEST_F(WindowTest, HoldLabelsOnly) {
  std::vector<uint16_t> tokens(70000); // more than are looked at at once
  tokens[69000] = 20;
  write("stream.npy", kU16, {70000}, tokens);
  EXPECT_CONTAINS(
      message(),
      "for input 'labels': expected a label, index or length in [0, 20), "
      "or -100, which does not count, but got 20 at element 69000");
  specs = {{"series", DType::F32, {2, 2}}};
  write("series.npy", kF32, {3}, std::vector<float>{1, INFINITY, 3});
  files = {{"series", path("series.npy")}};
  options.windows = {{"series", 0}};
  EXPECT_CONTAINS(message(),
                  "expected finite values, but got inf at element 1");
}

TEST_F(WindowTest, AreOfOneStreamOrOfStreamsAsLong) {
  write("labels.npy", kI32, {9}, Ints(9));
  files[1].path = path("labels.npy");
  EXPECT_CONTAINS(message(), "expected 10 rows as in ");
}

TEST_F(WindowTest, AreAskedForByTheNamesOfInputs) {
  options.windows = {{"token", 0}};
  EXPECT_CONTAINS(message(), "'--window token': the program has no input "
                             "'token'; it has 'tokens', 'labels'");
  options.windows = {{"tokens", 0}, {"tokens", 1}};
  EXPECT_CONTAINS(message(), "expected it once, but got it twice");
  options.windows = {{"labels", 1}};
  EXPECT_CONTAINS(message(), "expected '--window tokens' too, since samples "
                             "are windows for input 'labels'");
  options.windows.clear();
  EXPECT_CONTAINS(message(), "; '--window tokens' takes windows of a stream");
}

TEST_F(WindowTest, AreOfInputsWithRowsThatAreAsMany) {
  options.windows = {{"tokens", 0}, {"labels", 1}};
  specs[1].shape = {2, 4};
  EXPECT_CONTAINS(message(), "'--window labels': expected windows of 3 rows, "
                             "as those of input 'tokens', but input 'labels' "
                             "is 2x4xi32");
  specs[1].shape = {2};
  EXPECT_CONTAINS(message(), "expected an input of batches of rows, 2xT.., but "
                             "input 'labels' is 2xi32");
}

TEST_F(WindowTest, NeedAFileWhereTheInputNeedsNone) {
  specs[1].mayBeMissing = true;
  files.pop_back();
  EXPECT_CONTAINS(message(), "'--window labels': expected a file for input "
                             "'labels' too; give --input labels=FILE, or leave "
                             "it out");
  options.windows.pop_back();
  EXPECT_EQ(message(), "accepted");
}

} // namespace
