#include "MatmulShape.h"

#include <optional>

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

/// Elements that oneDNN copies into a layout of its own, for blocks that are
/// `down` and `across` in number: each row of blocks copies the right matrix
/// once, each column of them the left one, if that lies by columns.
static double countCopied(const MatmulShape &shape, int64_t down,
                          int64_t across) {
  auto size = [&](int64_t length) {
    return static_cast<double>(length) * static_cast<double>(shape.inner);
  };
  double left = shape.lhsInner == 1 ? 0 : size(shape.rows);
  return static_cast<double>(down) * size(shape.columns) +
         static_cast<double>(across) * left;
}

/// Which side of a product to cut first: the one that copies less. Pairs of
/// bf16 are interleaved on the way, and a left matrix that lies by rows is read
/// by each column of blocks, so there rows are the better cut (measured on Zen
/// 5), but of products that are so deep that no cache holds a panel of the
/// right matrix.
static bool prefersRows(const MatmulShape &shape, bool isPaired) {
  constexpr int64_t deep = 1 << 14;
  if (isPaired && shape.lhsInner == 1)
    return shape.inner < deep;
  return countCopied(shape, 2, 1) < countCopied(shape, 1, 2);
}

namespace {
/// How many blocks there are, while it is chosen.
struct Parts {
  const MatmulShape *shape;
  bool isPaired;
  int64_t down = 1, across = 1;

  int64_t rows() const { return ceilDiv(shape->rows, down); }
  int64_t columns() const { return ceilDiv(shape->columns, across); }
  int64_t blocks() const { return down * across * shape->matrices; }
  double flops() const {
    return 2.0 * static_cast<double>(rows()) * static_cast<double>(columns()) *
           static_cast<double>(shape->inner);
  }
  /// Of fewer rows and columns oneDNN copies nothing in f32, and is half as
  /// fast on some strides (1 / m + 1 / n is what its choice of kernels for AVX2
  /// goes by). In bf16 it always copies: 256 of the one by many of the other
  /// will do.
  bool areLarge() const {
    return 1 / static_cast<double>(rows()) +
               1 / static_cast<double>(columns()) <
           (isPaired ? 0.0044 : 0.0038);
  }
  Parts halve(bool cutsRows) const {
    Parts next = *this;
    (cutsRows ? next.down : next.across) *= 2;
    return next;
  }
};
} // namespace

/// The next cut, if there is one: of the first side where it leaves large
/// blocks, of the other where those are worth what they copy again, of any if
/// there are too few.
static std::optional<Parts> cutOnce(const Parts &parts, bool rowsFirst) {
  constexpr double minFlops = 24e6, manyFlops = 2e9;
  constexpr int64_t least = 32, enough = 4, many = 16;
  bool isNeeded = parts.blocks() < enough;
  auto isPossible = [&](const Parts &next, bool cutsRows) {
    return (cutsRows ? next.rows() : next.columns()) >= least &&
           next.flops() >= minFlops && next.blocks() <= many;
  };
  for (bool cutsRows : {rowsFirst, !rowsFirst}) {
    Parts next = parts.halve(cutsRows);
    bool isWorthIt =
        isNeeded || cutsRows == rowsFirst || next.flops() >= manyFlops;
    if (isPossible(next, cutsRows) && next.areLarge() && isWorthIt)
      return next;
  }
  for (bool cutsRows : {rowsFirst, !rowsFirst})
    if (Parts next = parts.halve(cutsRows);
        isNeeded && isPossible(next, cutsRows))
      return next;
  return std::nullopt;
}

/// Few and large: a block below some 24 MFLOP pays more for its call than it
/// gains by running beside another, and each one more copies again. Enough of
/// them for four threads where that is worth it, and for sixteen while they
/// stay large.
static void chooseBlocks(MatmulShape &shape, bool isPaired) {
  Parts parts{&shape, isPaired};
  bool rowsFirst = prefersRows(shape, isPaired);
  while (std::optional<Parts> next = cutOnce(parts, rowsFirst))
    parts = *next;
  auto roundUp = [](int64_t a, int64_t b) { return ceilDiv(a, b) * b; };
  shape.blockRows = parts.down == 1 ? shape.rows : roundUp(parts.rows(), 8);
  shape.blockColumns =
      parts.across == 1 ? shape.columns : roundUp(parts.columns(), 32);
}

/// `isPaired`: the operands are pairs of bf16 to the library.
static MatmulShape analyze(const program::MatmulCall &call, Strides lhs,
                           Strides rhs, bool isPaired) {
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
  chooseBlocks(shape, isPaired);
  return shape;
}

MatmulShape runtime::analyzeMatmul(const program::MatmulCall &call) {
  return analyze(call, toSpan(call.lhs->strides()), toSpan(call.rhs->strides()),
                 call.lhs->type() == program::ElementType::BF16);
}

MatmulShape runtime::analyzeMatmul(const program::MatmulCall &call, Strides lhs,
                                   Strides rhs) {
  return analyze(call, lhs, rhs, /*isPaired=*/false);
}

std::string MatmulShape::describe() const {
  auto times = [](int64_t a, int64_t b) {
    return std::to_string(a) + "x" + std::to_string(b);
  };
  std::string text = times(rows, inner) + "x" + std::to_string(columns);
  if (matrices != 1)
    text = std::to_string(matrices) + " of " + text;
  text += ": " + times(down(), across()) + " blocks of " +
          times(blockRows, blockColumns);
  auto copied = static_cast<uint64_t>(countCopied(*this, down(), across()));
  return text + ", " + std::to_string(copied) + " elements copied of " +
         std::to_string(static_cast<uint64_t>(countCopied(*this, 1, 1)));
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
