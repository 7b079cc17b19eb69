#include "MatmulShape.h"

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::toSpan;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Element offset of the matrix at `index` of the batch dims.
static int64_t matrixOffset(std::span<const int64_t> batch,
                            std::span<const int64_t> strides, int64_t index) {
  int64_t offset = 0;
  for (size_t axis = batch.size(); axis-- > 0; index /= batch[axis])
    offset += index % batch[axis] * strides[axis];
  return offset;
}

using Strides = std::span<const int64_t>;

static void readBatch(MatmulShape &shape, const program::MatmulCall &call,
                      Strides lhs, Strides rhs) {
  size_t dims = call.batch().size();
  shape.batch.assign(call.batch().begin(), call.batch().end());
  shape.lhsBatch.assign(lhs.begin(), lhs.begin() + dims);
  shape.rhsBatch.assign(rhs.begin(), rhs.begin() + dims);
  shape.matrices = 1;
  for (int64_t dim : shape.batch)
    shape.matrices *= dim;
}

/// One right matrix for all left ones (a linear layer on [batch, time, width]):
/// the batch is only more rows, if those follow each other at one distance.
static void foldBatch(MatmulShape &shape, const program::MatmulCall &call,
                      Strides lhs, Strides rhs) {
  if (shape.matrices == 1 || (shape.lhsInner != 1 && shape.inner != 1))
    return;
  int64_t rows = shape.rows, distance = shape.rows == 1 ? 0 : shape.lhsRow;
  for (size_t axis = call.batch().size(); axis-- > 0;) {
    int64_t dim = call.batch()[axis];
    if (dim == 1)
      continue;
    if (rhs[axis] != 0 || (rows != 1 && lhs[axis] != distance * rows))
      return;
    if (rows == 1)
      distance = lhs[axis];
    rows *= dim;
  }
  if (distance < shape.inner) // the same rows again
    return;
  shape.rows = rows;
  shape.lhsRow = distance;
  shape.lhsInner = 1;
  shape.matrices = 1;
}

/// Measured with oneDNN 2.6 on Zen 5: a block below some 24 MFLOP pays more for
/// its call than it gains by running beside another, and above 2^17 result
/// elements nothing is lost by cutting. So: cut in two as long as both halves
/// are worth it, and stop at four blocks unless they are larger than that.
static void chooseBlocks(MatmulShape &shape) {
  constexpr double minFlops = 24e6;
  constexpr int64_t maxElements = 1 << 17, enoughBlocks = 4;
  int64_t rowParts = 1, columnParts = 1;
  while (true) {
    int64_t rows = ceilDiv(shape.rows, rowParts),
            columns = ceilDiv(shape.columns, columnParts);
    int64_t blocks = rowParts * columnParts * shape.matrices;
    double flops = 2.0 * static_cast<double>(rows) *
                   static_cast<double>(columns) *
                   static_cast<double>(shape.inner);
    bool wanted = rows * columns > maxElements || blocks < enoughBlocks;
    if (!wanted || flops < 2 * minFlops || (rows < 64 && columns < 64))
      break;
    // Wide blocks keep the right matrix dense, which oneDNN prefers.
    if (rows * 4 > columns && rows >= 64)
      rowParts *= 2;
    else
      columnParts *= 2;
  }
  auto roundUp = [](int64_t a, int64_t b) { return ceilDiv(a, b) * b; };
  shape.blockRows =
      rowParts == 1 ? shape.rows : roundUp(ceilDiv(shape.rows, rowParts), 8);
  shape.blockColumns = columnParts == 1
                           ? shape.columns
                           : roundUp(ceilDiv(shape.columns, columnParts), 64);
}

MatmulShape runtime::analyzeMatmul(const program::MatmulCall &call, Strides lhs,
                                   Strides rhs) {
  MatmulShape shape = {};
  shape.rows = call.rows();
  shape.columns = call.columns();
  shape.inner = call.inner();
  shape.lhsRow = lhs.end()[-2];
  shape.lhsInner = lhs.end()[-1];
  shape.rhsInner = rhs.end()[-2];
  shape.rhsColumn = rhs.end()[-1];
  readBatch(shape, call, lhs, rhs);
  foldBatch(shape, call, lhs, rhs);
  chooseBlocks(shape);
  return shape;
}

MatmulShape runtime::analyzeMatmul(const program::MatmulCall &call) {
  return analyzeMatmul(call, toSpan(call.lhs->strides()),
                       toSpan(call.rhs->strides()));
}

int64_t MatmulShape::across() const { return ceilDiv(columns, blockColumns); }
int64_t MatmulShape::down() const { return ceilDiv(rows, blockRows); }

Status MatmulShape::check() const {
  int64_t blocks = across() * down() * matrices; // of fewer than 2^48 elements
  if (blocks <= UINT32_MAX)
    return {};
  return {StatusCode::InvalidProgram,
          "matmul: expected fewer than 2^32 blocks of a product, but got " +
              std::to_string(blocks) + "; make its batch smaller"};
}

uint32_t MatmulShape::countBlocks() const {
  return static_cast<uint32_t>(across() * down() * matrices);
}

std::array<uint32_t, 4> MatmulShape::corners() const {
  auto right = static_cast<uint32_t>(across() - 1),
       below = static_cast<uint32_t>((down() - 1) * across());
  return {0, right, below, below + right};
}

BatchOffsets MatmulShape::offsetsOf(int64_t matrix) const {
  return {matrixOffset(batch, lhsBatch, matrix),
          matrixOffset(batch, rhsBatch, matrix), matrix * rows * columns};
}

MatmulBlock MatmulShape::block(uint32_t index) const {
  BatchOffsets matrix = offsetsOf(index / across() / down());
  MatmulBlock block;
  block.row = index / across() % down() * blockRows;
  block.column = index % across() * blockColumns;
  block.rows = std::min(blockRows, rows - block.row);
  block.columns = std::min(blockColumns, columns - block.column);
  block.offsets = {matrix.lhs + block.row * lhsRow,
                   matrix.rhs + block.column * rhsColumn,
                   matrix.result + block.row * columns + block.column};
  return block;
}
