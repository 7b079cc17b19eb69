#include "mpc/Data/Augmenter.h"
#include "TemporaryFolder.h"
#include "mpc/Data/Npy.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace mpc;
using namespace mpc::data;

namespace {
constexpr int64_t kRows = 4, kColumns = 5;

/// Samples of f32 whose elements are 1, 2, 3, ... each.
class AugmenterTest : public TemporaryFolder {
protected:
  Dataset load(const Shape &sample) {
    Shape shape = sample;
    shape.insert(shape.begin(), 2);
    int64_t size = static_cast<int64_t>(*countElements(sample));
    std::vector<float> values(static_cast<size_t>(2 * size));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i % static_cast<size_t>(size)) + 1;
    Tensor tensor{*formatOf(DType::F32), shape, Bytes(values.size() * 4)};
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    std::string path = TemporaryFolder::path("x.npy");
    EXPECT_TRUE(writeNpy(path, tensor).ok());
    InputFileChoice file{"x", path};
    return *Dataset::load({{"x", DType::F32, shape}}, {&file, 1}, {});
  }
  /// Both samples after `choice`.
  std::vector<float> run(const Dataset &set, const AugmentChoice &choice,
                         uint64_t seed, uint64_t epoch) {
    Batch batch = set.makeBatch();
    uint64_t places[] = {0, 1};
    set.fill(batch, places);
    Augmenter::make(set, choice)->apply(batch, {places, 2, seed, epoch});
    std::vector<float> values(batch.inputs[0].size() / 4);
    std::memcpy(values.data(), batch.inputs[0].data(), batch.inputs[0].size());
    return values;
  }
  std::string messageOf(const Dataset &set, const AugmentChoice &choice) {
    return Augmenter::make(set, choice).status().message();
  }
};

/// The element at (y, x) of the image that `move` makes of 1, 2, 3, ...
float expected(int64_t y, int64_t x, int64_t down, int64_t right,
               bool mirrored) {
  int64_t row = y + down, column = (mirrored ? kColumns - 1 - x : x) + right;
  bool isInside = row >= 0 && row < kRows && column >= 0 && column < kColumns;
  return isInside ? static_cast<float>(row * kColumns + column + 1) : 0;
}
} // namespace

// Every image is one of those that can be made, and all of these come, about
// as often: (2 * 1 + 1)^2 places, mirrored or not.
TEST_F(AugmenterTest, DrawsFromAllMoves) {
  Dataset set = load({1, kRows, kColumns});
  std::map<std::tuple<int64_t, int64_t, bool>, int> seen;
  for (uint64_t epoch = 0; epoch < 900; ++epoch) {
    std::vector<float> values = run(set, {"x", 1, true}, 7, epoch);
    for (size_t sample = 0; sample < 2; ++sample) {
      int found = 0;
      for (int64_t down = -1; down <= 1; ++down)
        for (int64_t right = -1; right <= 1; ++right)
          for (bool mirrored : {false, true}) {
            bool isSame = true;
            for (int64_t y = 0; y < kRows; ++y)
              for (int64_t x = 0; x < kColumns; ++x)
                isSame &= values[sample * kRows * kColumns +
                                 static_cast<size_t>(y * kColumns + x)] ==
                          expected(y, x, down, right, mirrored);
            if (isSame)
              ++seen[{down, right, mirrored}];
            found += isSame;
          }
      EXPECT_EQ(found, 1);
    }
  }
  EXPECT_EQ(seen.size(), 18u);
  for (const auto &[move, count] : seen)
    EXPECT_TRUE(count > 60 && count < 140) << count; // 100, five deviations
}

TEST_F(AugmenterTest, ChannelsMoveTogether) {
  std::vector<float> first =
      run(load({2, kRows, kColumns}), {"x", 2, true}, 3, 5);
  std::vector<float> last =
      run(load({kRows, kColumns, 2}), {"x", 2, true, true}, 3, 5);
  // Elements are numbered by channel first, or last.
  constexpr size_t kPlane = kRows * kColumns;
  for (size_t sample = 0; sample < 2; ++sample)
    for (size_t i = 0; i < kPlane; ++i)
      for (size_t channel = 0; channel < 2; ++channel) {
        float a = first[sample * 2 * kPlane + channel * kPlane + i];
        float b = last[sample * 2 * kPlane + i * 2 + channel];
        EXPECT_EQ(a == 0, b == 0);
        if (a != 0)
          EXPECT_EQ(a - 1 - static_cast<float>(channel * kPlane),
                    (b - 1 - static_cast<float>(channel)) / 2);
      }
}

TEST_F(AugmenterTest, DependsOnSeedEpochAndPlace) {
  Dataset set = load({kRows, kColumns});
  AugmentChoice choice{"x", 2, true};
  EXPECT_EQ(run(set, choice, 1, 1), run(set, choice, 1, 1));
  EXPECT_NE(run(set, choice, 1, 1), run(set, choice, 1, 2));
  EXPECT_NE(run(set, choice, 1, 1), run(set, choice, 2, 1));
  // Of a sample alone it is what it was beside another.
  Batch batch = set.makeBatch();
  uint64_t places[] = {1};
  set.fill(batch, places);
  Augmenter::make(set, choice)->apply(batch, {places, 2, 1, 1});
  std::vector<float> both = run(set, choice, 1, 1);
  EXPECT_EQ(std::memcmp(batch.inputs[0].data(), both.data() + kRows * kColumns,
                        kRows * kColumns * 4),
            0);
}

TEST_F(AugmenterTest, Refuses) {
  Dataset set = load({1, kRows, kColumns});
  EXPECT_EQ(messageOf(set, {"y", 1, true}),
            "'--augment y': the program has no such input");
  EXPECT_EQ(messageOf(set, {"x", 4, true}),
            "'--augment x': expected a crop of fewer rows and columns than "
            "images have, 4x5, but got 4");
  EXPECT_EQ(messageOf(set, {"x"}), "'--augment x': expected something to do, a "
                                   "crop of 1 or more or a flip");
  EXPECT_EQ(messageOf(load({kColumns}), {"x", 1, true}),
            "'--augment x': expected batches of images, N..HxW, but input 'x' "
            "is 2x5xf32");
  EXPECT_EQ(messageOf(load({kRows, kColumns}), {"x", 1, true, true}),
            "'--augment x': expected batches of images, N..HxWxC, but input "
            "'x' is 2x4x5xf32");
}
