#include "MatmulShape.h"

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::toSpan;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t product(std::span<const int64_t> dims) {
  int64_t result = 1;
  for (int64_t dim : dims)
    result *= dim;
  return result;
}

/// Element offset of the matrix at `index` of the result's batch dims, in an
/// operand whose batch dims broadcast to them.
static int64_t matrixOffset(std::span<const int64_t> resultDims,
                            std::span<const int64_t> dims, int64_t index,
                            int64_t matrixElements) {
  int64_t offset = 0, stride = matrixElements;
  for (size_t i = 0; i < resultDims.size(); ++i) {
    size_t axis = resultDims.size() - 1 - i;
    int64_t position = index % resultDims[axis];
    index /= resultDims[axis];
    if (i >= dims.size())
      continue;
    int64_t dim = dims[dims.size() - 1 - i];
    if (dim != 1)
      offset += position * stride;
    stride *= dim;
  }
  return offset;
}

static void computeBatch(MatmulShape &shape, std::span<const int64_t> lhs,
                         std::span<const int64_t> rhs,
                         std::span<const int64_t> result) {
  std::span<const int64_t> lhsBatch = lhs.first(lhs.size() - 2),
                           rhsBatch = rhs.first(rhs.size() - 2),
                           batch = result.first(result.size() - 2);
  for (int64_t i = 0; i < product(batch); ++i)
    shape.batch.push_back(
        {matrixOffset(batch, lhsBatch, i, product(lhs.last(2))),
         matrixOffset(batch, rhsBatch, i, product(rhs.last(2))),
         i * shape.rows * shape.columns});
}

/// One right matrix for all left ones (a linear layer on [batch, time, width]):
/// the batch is only more rows.
static void foldBatch(MatmulShape &shape, std::span<const int64_t> lhs,
                      std::span<const int64_t> rhs,
                      std::span<const int64_t> result) {
  int64_t matrices = static_cast<int64_t>(shape.batch.size());
  bool dense = shape.lhsInner == 1 &&
               product(lhs) == matrices * shape.rows * shape.inner;
  if (matrices == 1 || !dense || product(rhs.first(rhs.size() - 2)) != 1)
    return;
  shape.rows = product(result.first(result.size() - 1));
  shape.lhsRow = shape.inner; // A single transposed row has stride 1.
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

MatmulShape runtime::analyzeMatmul(const program::Matmul &matmul) {
  std::span<const int64_t> lhs = toSpan(matmul.lhs_shape()),
                           rhs = toSpan(matmul.rhs_shape()),
                           result = toSpan(matmul.result_shape());
  MatmulShape shape = {};
  shape.rows = result[result.size() - 2];
  shape.columns = result[result.size() - 1];
  bool lhsSwapped = matmul.transpose_lhs(), rhsSwapped = matmul.transpose_rhs();
  shape.inner = lhs[lhs.size() - (lhsSwapped ? 2 : 1)];
  shape.lhsRow = lhsSwapped ? 1 : shape.inner;
  shape.lhsInner = lhsSwapped ? shape.rows : 1;
  shape.rhsInner = rhsSwapped ? 1 : shape.columns;
  shape.rhsColumn = rhsSwapped ? shape.inner : 1;
  computeBatch(shape, lhs, rhs, result);
  foldBatch(shape, lhs, rhs, result);
  chooseBlocks(shape);
  return shape;
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
