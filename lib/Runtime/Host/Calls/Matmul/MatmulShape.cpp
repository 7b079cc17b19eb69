#include "MatmulShape.h"

#include <algorithm>
#include <optional>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::toSpan;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

/// Of fewer rows and columns oneDNN copies nothing in f32, and is half as fast
/// on some strides (1 / m + 1 / n is what its choice of kernels for AVX2 goes
/// by). In bf16 it always copies: 256 of the one by many of the other will do.
static bool isLarge(int64_t rows, int64_t columns, bool isPaired) {
  return 1 / static_cast<double>(rows) + 1 / static_cast<double>(columns) <
         (isPaired ? 0.0044 : 0.0038);
}

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

/// Elements that are copied into another layout, for blocks that are `down` and
/// `across` in number: each row of blocks copies the right matrix once, each
/// column of them the left one; oneDNN does that if it lies by columns.
static double countCopied(const MatmulShape &shape, int64_t down,
                          int64_t across) {
  auto size = [&](int64_t length) {
    return static_cast<double>(length) * static_cast<double>(shape.inner);
  };
  double left = shape.copiesLeft ? size(shape.rows) : 0;
  double right = shape.copiesRight ? size(shape.columns) : 0;
  return static_cast<double>(down) * right + static_cast<double>(across) * left;
}

/// Which side of a product to cut first: the one that copies less. Pairs of
/// bf16 are interleaved on the way, and a left matrix that lies by rows is read
/// by each column of blocks, so there rows are the better cut (measured on Zen
/// 5) where each of four blocks has enough of them for the right matrix that it
/// copies; but of products that are so deep that no cache holds a panel of it,
/// or so wide that columns are cut in any case.
static bool prefersRows(const MatmulShape &shape, bool isPaired) {
  constexpr int64_t deep = 1 << 14, wide = 1 << 12, enough = 4 * 256;
  if (isPaired && shape.lhsInner == 1)
    return shape.inner < deep && shape.columns < wide && shape.rows >= enough;
  double ofRows = countCopied(shape, 2, 1),
         ofColumns = countCopied(shape, 1, 2);
  return isPaired ? ofRows <= ofColumns : ofRows < ofColumns;
}

namespace {
/// What a cut goes by beside the shape.
struct CutRule {
  /// The operands are pairs of bf16 to the library.
  bool isPaired = false;
  /// That a block may have.
  int64_t maxElements = INT64_MAX;
  /// Of whole rows it may have any number: oneDNN rounds those of bf16 a few at
  /// a time, where it has the sums of part of a row in memory until the end.
  bool keepsRowsApart = false;
};

/// How many blocks there are, while it is chosen.
struct Parts {
  const MatmulShape *shape;
  CutRule rule;
  int64_t down = 1, across = 1;

  int64_t rows() const { return ceilDiv(shape->rows, down); }
  int64_t columns() const { return ceilDiv(shape->columns, across); }
  int64_t blocks() const { return down * across * shape->matrices; }
  double flops() const {
    return 2.0 * static_cast<double>(rows()) * static_cast<double>(columns()) *
           static_cast<double>(shape->inner);
  }
  /// Of a block: a side that is cut comes in what kernels do at once.
  int64_t blockRows() const { return down == 1 ? rows() : roundUp(rows(), 8); }
  int64_t blockColumns() const {
    return across == 1 ? columns() : roundUp(columns(), 32);
  }
  bool areTooLarge() const {
    return blockRows() * blockColumns() > rule.maxElements &&
           !(rule.keepsRowsApart && across == 1);
  }
  bool areLarge() const { return isLarge(rows(), columns(), rule.isPaired); }
  /// Below some 24 MFLOP a block pays more for its call than it gains by
  /// running beside others; and the more there are, the less one more gains.
  /// Halves pay from 2 MFLOP on, of bf16 from 4.
  bool areWorthACall() const {
    constexpr double minFlops = 24e6, many = 16, minOfHalf = 2e6;
    double share = std::max(1.0, static_cast<double>(blocks()) / many);
    if (flops() >= minFlops * share * share)
      return true;
    return down * across == 2 && shape->matrices == 1 && areGoodHalves() &&
           flops() >= (rule.isPaired ? 2 : 1) * minOfHalf;
  }
  /// A left matrix of bf16 that lies by columns is interleaved by both halves,
  /// which a short sum does not pay for; and a few columns of f32 that lie far
  /// apart oneDNN reads slowly.
  bool areGoodHalves() const {
    constexpr int64_t enoughInner = 32, enoughColumns = 128;
    if (rule.isPaired)
      return shape->lhsInner == 1 || shape->inner >= enoughInner;
    return shape->rhsColumn == 1 || across == 1 || columns() >= enoughColumns;
  }
  /// An element that is copied again takes some 30 operations' time: one for
  /// 4096 is little. bf16 reads a left matrix again that lies by rows.
  bool halvesForLittle(bool cutsRows) const {
    if (cutsRows)
      return rows() >= 2048;
    bool readsAgain = shape->copiesLeft || rule.isPaired;
    return !readsAgain || columns() >= 2048;
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
/// there are too few or they are too large.
static std::optional<Parts> cutOnce(const Parts &parts, bool rowsFirst) {
  constexpr int64_t least = 32, enough = 4, many = 16;
  bool isNeeded = parts.blocks() < enough, isTooLarge = parts.areTooLarge();
  auto isPossible = [&](const Parts &next, bool cutsRows) {
    return (cutsRows ? next.rows() : next.columns()) >= least &&
           (isTooLarge || next.areWorthACall());
  };
  auto isWorthIt = [&](const Parts &next, bool cutsRows) {
    return isNeeded || isTooLarge || parts.halvesForLittle(cutsRows) ||
           (cutsRows == rowsFirst && next.blocks() <= many);
  };
  for (bool cutsRows : {rowsFirst, !rowsFirst})
    if (Parts next = parts.halve(cutsRows); isPossible(next, cutsRows) &&
                                            next.areLarge() &&
                                            isWorthIt(next, cutsRows))
      return next;
  for (bool cutsRows : {rowsFirst, !rowsFirst})
    if (Parts next = parts.halve(cutsRows);
        (isNeeded || isTooLarge) && isPossible(next, cutsRows))
      return next;
  return std::nullopt;
}

/// Few and large, since each one more copies again. Enough of them for four
/// threads where that is worth a call each, sixteen while they stay large, and
/// more while next to nothing is copied again.
static void chooseBlocks(MatmulShape &shape, CutRule rule) {
  Parts parts{&shape, rule};
  bool rowsFirst = prefersRows(shape, rule.isPaired);
  while (std::optional<Parts> next = cutOnce(parts, rowsFirst))
    parts = *next;
  shape.blockRows = parts.blockRows();
  shape.blockColumns = parts.blockColumns();
}

static MatmulShape readShape(const program::MatmulCall &call) {
  Strides lhs = toSpan(call.lhs->strides()), rhs = toSpan(call.rhs->strides());
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
  return shape;
}

MatmulShape runtime::analyzeMatmul(const program::MatmulCall &call) {
  MatmulShape shape = readShape(call);
  shape.copiesLeft = shape.lhsInner != 1;
  shape.copiesRight = true;
  CutRule rule;
  if (call.lhs->type() == program::ElementType::BF16)
    rule = {
        .isPaired = true, .maxElements = kMaxRounded, .keepsRowsApart = true};
  chooseBlocks(shape, rule);
  return shape;
}

MatmulShape runtime::analyzePackedMatmul(const program::MatmulCall &call) {
  MatmulShape shape = readShape(call);
  shape.copiesLeft = call.lhs->type() != program::ElementType::F32 ||
                     shape.flops() > kMaxSmall;
  shape.copiesRight = shape.copiesLeft || shape.rhsColumn != 1;
  CutRule rule;
  if (call.result->type() != program::ElementType::F32)
    rule.maxElements = kMaxRounded;
  chooseBlocks(shape, rule);
  return shape;
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

double MatmulShape::flops() const {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(inner);
}

bool MatmulShape::hasLargeBlocks() const {
  return isLarge(blockRows, blockColumns, /*isPaired=*/false);
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
