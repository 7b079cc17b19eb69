// How products are cut: the blocks tile the result, and the side that is cut is
// the one for which the library copies less.
#include "../../lib/Runtime/Host/Calls/Matmul/MatmulShape.h"
#include "../../lib/Runtime/Host/Calls/Matmul/MatrixGroups.h"
#include "HandMade.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;

namespace {
struct Cut {
  int64_t down, across;
  bool operator==(const Cut &) const = default;
};
} // namespace

static MatmulShape analyze(ElementType type, Dims sizes, bool leftLies,
                           bool rightLies, int64_t batch = 0) {
  int64_t m = sizes[0], k = sizes[1], n = sizes[2];
  MatmulSpec spec{type,
                  ElementType::F32,
                  leftLies ? Dims{k, m} : Dims{m, k},
                  rightLies ? Dims{n, k} : Dims{k, n},
                  {m, n}};
  spec.transposeLhs = leftLies;
  spec.transposeRhs = rightLies;
  if (batch)
    for (Dims *dims : {&spec.lhs, &spec.rhs, &spec.out})
      dims->insert(dims->begin(), batch);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  return analyzeMatmul(program::MatmulCall(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer())));
}

/// Of f16 for our kernels, dense.
static MatmulShape analyzePacked(ElementType result, Dims sizes,
                                 int64_t batch = 0) {
  int64_t m = sizes[0], k = sizes[1], n = sizes[2];
  MatmulSpec spec{ElementType::F16, result, {m, k}, {k, n}, {m, n}};
  if (batch)
    for (Dims *dims : {&spec.lhs, &spec.rhs, &spec.out})
      dims->insert(dims->begin(), batch);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  return analyzePackedMatmul(program::MatmulCall(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer())));
}

static Cut cutOf(const MatmulShape &shape) {
  return {(shape.rows + shape.blockRows - 1) / shape.blockRows,
          (shape.columns + shape.blockColumns - 1) / shape.blockColumns};
}

TEST(MatmulShape, BlocksTileTheResult) {
  for (ElementType type : {ElementType::F32, ElementType::BF16})
    for (Dims sizes : {Dims{1000, 300, 700}, Dims{37, 4000, 3001},
                       Dims{5000, 900, 10}, Dims{10, 900, 5000}})
      for (bool leftLies : {false, true})
        for (int64_t batch : {0, 3}) {
          MatmulShape shape = analyze(type, sizes, leftLies, false, batch);
          int64_t matrix = sizes[0] * sizes[2];
          std::vector<int> hits(matrix * shape.matrices);
          for (uint32_t i = 0; i < shape.countBlocks(); ++i) {
            MatmulBlock block = shape.block(i);
            for (int64_t row = 0; row < block.rows; ++row)
              for (int64_t column = 0; column < block.columns; ++column)
                ++hits[block.offsets.result + row * sizes[2] + column];
          }
          EXPECT_EQ(std::ranges::count(hits, 1),
                    static_cast<ptrdiff_t>(hits.size()))
              << shape.describe();
        }
}

/// GPT-2's layers of 1024 tokens. The right matrix is copied for each row of
/// blocks, so f32 is cut by columns; the left one of a weight's gradient lies
/// by columns and is copied for each column of blocks: the larger one decides.
TEST(MatmulShape, CutsTheSideThatCopiesLess) {
  struct Case {
    Dims sizes;
    bool leftLies, rightLies;
    Cut f32, bf16;
  };
  const Case cases[] = {
      {{1024, 768, 2304}, false, false, {1, 4}, {4, 1}},
      {{1024, 2304, 768}, false, true, {1, 4}, {4, 1}},
      {{768, 1024, 2304}, true, false, {1, 4}, {1, 4}},
      {{1024, 768, 3072}, false, false, {1, 8}, {4, 1}},
      {{768, 1024, 3072}, true, false, {1, 4}, {1, 8}},
      {{1024, 3072, 768}, false, false, {1, 4}, {4, 1}},
      {{3072, 1024, 768}, true, false, {4, 1}, {8, 1}},
      {{1024, 768, 50257}, false, true, {1, 63}, {1, 121}},
      // Each of four blocks of rows would copy the right matrix for 64.
      {{256, 2048, 2048}, false, false, {1, 4}, {1, 4}},
      {{2048, 256, 2048}, true, false, {2, 4}, {8, 1}},
      // No cache holds the right matrix of a block of rows.
      {{1024, 50257, 768}, false, false, {1, 4}, {1, 4}},
      {{50257, 1024, 768}, true, false, {32, 1}, {32, 1}},
  };
  for (const auto &[sizes, leftLies, rightLies, f32, bf16] : cases) {
    MatmulShape wide = analyze(ElementType::F32, sizes, leftLies, rightLies);
    EXPECT_EQ(cutOf(wide), f32) << wide.describe();
    MatmulShape narrow = analyze(ElementType::BF16, sizes, leftLies, rightLies);
    EXPECT_EQ(cutOf(narrow), bf16) << narrow.describe();
  }
}

/// What is small stays whole, what is narrow is cut on the other side, and what
/// is large has work for many threads.
TEST(MatmulShape, NumbersOfBlocks) {
  auto blocks = [](Dims sizes, int64_t batch = 0) {
    return analyze(ElementType::F32, sizes, false, false, batch).countBlocks();
  };
  EXPECT_EQ(blocks({64, 64, 64}), 1u);
  EXPECT_EQ(blocks({64, 64, 64}, 48), 48u);
  EXPECT_EQ(blocks({64, 784, 512}), 2u); // of 25 MFLOP each
  EXPECT_EQ(blocks({1 << 16, 512, 10}), 4u);
  EXPECT_EQ(blocks({512, 512, 512}, 4), 4u);
  EXPECT_GE(blocks({8192, 2304, 768}), 16u);
  EXPECT_GE(blocks({8192, 8192, 8192}), 128u);
}

/// Halves of small products, where they were faster by two threads.
TEST(MatmulShape, SmallProductsAreHalved) {
  struct Case {
    Dims sizes;
    bool leftLies, rightLies;
    Cut f32, bf16;
  };
  const Case cases[] = {
      {{32, 256, 1024}, false, false, {1, 2}, {1, 2}},
      {{32, 1024, 256}, false, true, {1, 2}, {1, 2}},
      {{64, 256, 1024}, false, false, {1, 2}, {1, 2}},
      {{32, 128, 512}, false, false, {1, 2}, {1, 1}}, // of 2 MFLOP
      {{16, 128, 512}, false, false, {1, 1}, {1, 1}}, // of 1
      // Gradients of weights, of more samples or fewer.
      {{1024, 32, 256}, true, false, {2, 1}, {2, 1}},
      {{1024, 16, 256}, true, false, {2, 1}, {1, 1}},
      // 64 columns that lie 2 KB apart.
      {{32, 512, 128}, false, true, {1, 1}, {1, 1}}};
  for (const auto &[sizes, leftLies, rightLies, f32, bf16] : cases) {
    MatmulShape wide = analyze(ElementType::F32, sizes, leftLies, rightLies);
    EXPECT_EQ(cutOf(wide), f32) << wide.describe();
    MatmulShape narrow = analyze(ElementType::BF16, sizes, leftLies, rightLies);
    EXPECT_EQ(cutOf(narrow), bf16) << narrow.describe();
  }
}

/// Matrices of a batch are blocks by themselves, but may be too few, and no
/// multiple of the threads: eight of them want more than nine tasks.
TEST(MatmulShape, BatchesAreCut) {
  for (ElementType type : {ElementType::F32, ElementType::BF16})
    for (int64_t matrices : {2, 6, 9, 12, 17, 24})
      for (Dims sizes : {Dims{2048, 512, 2048}, Dims{4096, 64, 4096}}) {
        MatmulShape shape = analyze(type, sizes, false, false, matrices);
        double rounds = std::ceil(shape.countBlocks() / 8.0);
        EXPECT_GE(shape.countBlocks() / (8 * rounds), 0.85) << shape.describe();
      }
}

/// Each matrix is in one call, at the distance that the call goes on by: of any
/// batch, whatever lies between its matrices.
TEST(MatmulShape, GroupsHoldEachMatrixOnce) {
  std::mt19937 rng(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  int grouped = 0, withRest = 0, severalRuns = 0;
  for (int i = 0; i < 2000; ++i) {
    MatmulShape shape = {};
    shape.rows = shape.blockRows = pick(1, 90);
    shape.columns = shape.blockColumns = pick(1, 90);
    shape.inner = pick(1, 90);
    shape.matrices = 1;
    int64_t left = shape.rows * shape.inner,
            right = shape.inner * shape.columns;
    for (int64_t dims = pick(1, 3); dims > 0; --dims) {
      int64_t dim = pick(1, 4) * pick(1, 8);
      shape.batch.insert(shape.batch.begin(), dim);
      shape.lhsBatch.insert(shape.lhsBatch.begin(), pick(0, 9) ? left : 0);
      shape.rhsBatch.insert(shape.rhsBatch.begin(), pick(0, 9) ? right : 0);
      left *= dim + !pick(0, 3); // a gap, now and then
      right *= dim;
      shape.matrices *= dim;
    }
    MatrixGroups groups = groupMatrices(shape);
    std::vector<int> seen(shape.matrices);
    for (uint32_t call = 0; call < groups.countCalls(shape); ++call) {
      if (groups.areOne()) {
        ++seen[call];
        continue;
      }
      int64_t first = groups.first(call), count = groups.count(call);
      ASSERT_TRUE(count == groups.perCall || count == groups.rest());
      BatchOffsets begin = shape.block(uint32_t(first)).offsets;
      for (int64_t j = 0; j < count; ++j) {
        ++seen.at(first + j);
        BatchOffsets offsets = shape.block(uint32_t(first + j)).offsets;
        ASSERT_EQ(offsets.lhs, begin.lhs + j * groups.lhs);
        ASSERT_EQ(offsets.rhs, begin.rhs + j * groups.rhs);
        ASSERT_EQ(offsets.result,
                  begin.result + j * shape.rows * shape.columns);
      }
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }))
        << shape.describe();
    grouped += !groups.areOne();
    withRest += !groups.areOne() && groups.rest();
    severalRuns += !groups.areOne() && groups.run < shape.matrices;
  }
  EXPECT_GE(grouped, 500);
  EXPECT_GE(withRest, 50);
  EXPECT_GE(severalRuns, 50);
}

/// As many as are worth a call, and sixteen calls where those are enough work.
TEST(MatmulShape, GroupsAreChosenByOperations) {
  auto perCall = [](Dims sizes, int64_t matrices) {
    return groupMatrices(
               analyze(ElementType::BF16, sizes, false, false, matrices))
        .perCall;
  };
  EXPECT_EQ(perCall({64, 64, 64}, 64), 4);   // sixteen calls of 2 MFLOP
  EXPECT_EQ(perCall({64, 64, 64}, 512), 8);  // of 4 MFLOP
  EXPECT_EQ(perCall({64, 64, 64}, 6), 2);    // of 1 MFLOP
  EXPECT_EQ(perCall({128, 64, 128}, 96), 2); // of 4 MFLOP
  EXPECT_EQ(perCall({8, 8, 8}, 512), 512);   // all are 0.5 MFLOP
  EXPECT_EQ(perCall({256, 64, 256}, 48), 1);
}

/// A worker keeps a block in f32 where it is rounded, whatever the product's
/// size.
TEST(MatmulShape, RoundedBlocksAreBounded) {
  for (Dims sizes :
       {Dims{8192, 64, 50257}, Dims{50257, 64, 8192}, Dims{1, 64, 1 << 22},
        Dims{1 << 22, 1, 3}, Dims{1 << 20, 1, 1 << 20}, Dims{2048, 4096, 40}})
    for (int64_t batch : {0, 24}) {
      MatmulShape shape = analyzePacked(ElementType::F16, sizes, batch);
      EXPECT_LE(shape.blockRows * shape.blockColumns, kMaxRounded)
          << shape.describe();
      EXPECT_TRUE(shape.check().ok()) << shape.describe();
    }
  // Nothing is kept of a product whose result is f32.
  MatmulShape whole = analyzePacked(ElementType::F32, {8192, 64, 50257});
  EXPECT_GT(whole.blockRows * whole.blockColumns, kMaxRounded);
}

TEST(MatmulShape, SaysWhatIsCopied) {
  EXPECT_EQ(
      analyze(ElementType::F32, {768, 1024, 2304}, true, false).describe(),
      // 1024 x 2304 once, 768 x 1024 for each of 4 columns of blocks.
      "768x1024x2304: 1x4 blocks of 768x576, 5505024 elements copied of "
      "3145728");
  EXPECT_EQ(
      analyze(ElementType::F32, {64, 64, 64}, false, false, 48).describe(),
      "48 of 64x64x64: 1x1 blocks of 64x64, 4096 elements copied of 4096");
}
