// Products that read their operands where they lie: parts of larger tensors,
// windows, columns.
#include "MatmulProblem.h"
#include "mpc/Program/Calls.h"

#include <cmath>

using namespace mpc;
using namespace mpc::test;

/// A part of a larger tensor, and where its elements lie there.
static Values pick(const Values &whole, const Dims &shape, const Dims &strides,
                   int64_t offset) {
  Values part(whole.type, countOf(shape));
  for (int64_t i = 0; i < countOf(shape); ++i) {
    int64_t at = offset, index = i;
    for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
      at += index % shape[dim] * strides[dim];
    part.set(i, whole.exact[static_cast<size_t>(at)]);
  }
  part.decode();
  return part;
}

/// Operands with gaps: what stands there must not matter, and the product is
/// that of dense copies.
static void checkStrided(MatmulSpec dense, Dims lhsStrides, int64_t lhsOffset,
                         Dims rhsStrides, int64_t rhsOffset) {
  std::unique_ptr<CallT> call = dense.call();
  int64_t width = getInfo(static_cast<DType>(dense.operand)).bytes;
  auto reach = [&](const Dims &shape, const Dims &strides, int64_t offset) {
    return offset + static_cast<int64_t>(
                        *program::getReach(dense.operand, shape, strides)) /
                        width;
  };
  Values lhs = makeRandom(dense.operand,
                          reach(dense.lhs, lhsStrides, lhsOffset), 1),
         rhs = makeRandom(dense.operand,
                          reach(dense.rhs, rhsStrides, rhsOffset), 2);
  Values left = pick(lhs, dense.lhs, lhsStrides, lhsOffset),
         right = pick(rhs, dense.rhs, rhsStrides, rhsOffset);
  Values none(dense.result, dense.out.back());
  std::vector<double> truth = computeExactly(dense, left, right, none);
  Values ours(dense.result, countOf(dense.out)), plain(ours);
  plain.bytes = runProduct(dense, left, right, none, 1);
  plain.decode();

  call->operands[0]->strides = std::move(lhsStrides);
  call->operands[1]->strides = std::move(rhsStrides);
  std::vector<const void *> args = {lhs.bytes.data() + lhsOffset * width,
                                    rhs.bytes.data() + rhsOffset * width,
                                    nullptr};
  ours.bytes = runCall(*call, args, ours, 1);
  ours.decode();
  unsigned mantissa = getInfo(static_cast<DType>(dense.result)).mantissaBits;
  double largest = 0;
  for (double value : truth)
    largest = std::max(largest, std::abs(value));
  EXPECT_LE(maxError(ours.exact, truth),
            2 * maxError(plain.exact, truth) +
                largest * std::ldexp(1.0, -static_cast<int>(mantissa)));
  for (uint32_t threads : {2, 5})
    EXPECT_EQ(ours.bytes, runCall(*call, args, ours, threads));
}

/// Heads of queries and keys in one [batch, time, 3, heads, width], and other
/// parts of larger tensors.
TEST(Matmul, ReadsInPlace) {
  for (auto [operand, result] : kTypes) {
    SCOPED_TRACE(static_cast<int>(operand));
    int64_t batch = 2, time = 9, heads = 3, width = 8;
    int64_t row = 3 * heads * width;
    Dims outer = {time * row, width, row, 1};
    MatmulSpec scores = {operand,
                         result,
                         {batch, heads, time, width},
                         {batch, heads, width, time},
                         {batch, heads, time, time}};
    checkStrided(scores, outer, 0, {time * row, width, 1, row}, heads * width);
    MatmulSpec values = {operand,
                         result,
                         {batch, heads, time, time},
                         {batch, heads, time, width},
                         {batch, heads, time, width}};
    checkStrided(values, {heads * time * time, time * time, time, 1}, 0, outer,
                 2 * heads * width);
    // One right matrix for all left ones, which are columns of a wider tensor:
    // more rows, at one distance.
    MatmulSpec layer = {operand, result, {4, 5, 6}, {6, 7}, {4, 5, 7}};
    layer.rhs = {4, 6, 7};
    checkStrided(layer, {100, 20, 1}, 3, {0, 9, 1}, 1);
    checkStrided(layer, {120, 20, 1}, 3, {0, 1, 6}, 0);
    // Rows that repeat, and a dim of 1 with any stride.
    MatmulSpec repeated = {operand, result, {3, 4, 6}, {3, 6, 1}, {3, 4, 1}};
    checkStrided(repeated, {0, 6, 1}, 0, {6, 1, 77}, 0);
    checkStrided(repeated, {24, 6, 1}, 2, {12, 2, 1}, 0);
  }
}

/// Windows over one sequence, which overlap.
TEST(Matmul, ReadsWindows) {
  for (auto [operand, result] : kTypes) {
    SCOPED_TRACE(static_cast<int>(operand));
    MatmulSpec windows = {operand, result, {3, 2, 4}, {3, 4, 7}, {3, 2, 7}};
    checkStrided(windows, {8, 5, 1}, 0, {28, 7, 1}, 0);
    checkStrided(windows, {1, 4, 1}, 0, {1, 7, 1}, 2);
  }
}

/// Nothing is read at a distance that is never gone.
TEST(Matmul, StridesOfOneElementDoNotMatter) {
  constexpr int64_t far = INT64_MAX;
  for (auto [operand, result] : kTypes) {
    SCOPED_TRACE(static_cast<int>(operand));
    MatmulSpec row = {operand, result, {1, 1, 6}, {1, 6, 5}, {1, 1, 5}};
    checkStrided(row, {far, far, 1}, 0, {far, 5, 1}, 0);
    MatmulSpec column = {operand, result, {7, 6}, {6, 1}, {7, 1}};
    checkStrided(column, {6, 1}, 0, {1, far}, 0);
    checkStrided(column, {1, 7}, 0, {3, 0}, 0);
    MatmulSpec outer = {operand, result, {7, 1}, {1, 5}, {7, 5}};
    checkStrided(outer, {1, far}, 0, {far, 1}, 0);
    checkStrided(outer, {2, 0}, 0, {0, 1}, 0);
  }
}
