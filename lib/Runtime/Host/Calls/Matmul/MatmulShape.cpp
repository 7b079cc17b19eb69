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

static void computeBatch(MatmulShape &shape, const program::MatmulCall &call,
                         Strides lhs, Strides rhs) {
  int64_t matrices = 1;
  for (int64_t dim : call.batch())
    matrices *= dim;
  for (int64_t i = 0; i < matrices; ++i)
    shape.batch.push_back({matrixOffset(call.batch(), lhs, i),
                           matrixOffset(call.batch(), rhs, i),
                           i * shape.rows * shape.columns});
}

/// One right matrix for all left ones (a linear layer on [batch, time, width]):
/// the batch is only more rows, if those follow each other at one distance.
static void foldBatch(MatmulShape &shape, const program::MatmulCall &call,
                      Strides lhs, Strides rhs) {
  if (shape.batch.size() == 1 || (shape.lhsInner != 1 && shape.inner != 1))
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
  shape.batch.resize(1);
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
    int64_t blocks =
        rowParts * columnParts * static_cast<int64_t>(shape.batch.size());
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
  computeBatch(shape, call, lhs, rhs);
  foldBatch(shape, call, lhs, rhs);
  chooseBlocks(shape);
  return shape;
}

MatmulShape runtime::analyzeMatmul(const program::MatmulCall &call) {
  return analyzeMatmul(call, toSpan(call.lhs->strides()),
                       toSpan(call.rhs->strides()));
}

uint32_t MatmulShape::countBlocks() const {
  return static_cast<uint32_t>(ceilDiv(rows, blockRows) *
                               ceilDiv(columns, blockColumns) *
                               static_cast<int64_t>(batch.size()));
}

MatmulBlock MatmulShape::block(uint32_t index) const {
  int64_t across = ceilDiv(columns, blockColumns),
          down = ceilDiv(rows, blockRows);
  const BatchOffsets &matrix =
      batch[static_cast<size_t>(index / across / down)];
  MatmulBlock block;
  block.row = index / across % down * blockRows;
  block.column = index % across * blockColumns;
  block.rows = std::min(blockRows, rows - block.row);
  block.columns = std::min(blockColumns, columns - block.column);
  block.offsets = {matrix.lhs + block.row * lhsRow,
                   matrix.rhs + block.column * rhsColumn,
                   matrix.result + block.row * columns + block.column};
  return block;
}
