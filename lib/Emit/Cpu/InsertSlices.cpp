// Concat and pad: an item is one innermost row of the result; it takes its
// pieces from the operands that reach it, and zeros elsewhere. Elements are
// moved in their storage type.
#include "../Common/Pieces.h"
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

/// Pieces of a row whose copies stand in one block.
static constexpr size_t kTogether = 64;

namespace {
/// A run of elements in memory.
struct Run {
  Value memref; ///< Null: zeros.
  Value first;
};

class InsertSlicesEmitter {
public:
  InsertSlicesEmitter(mlir::ImplicitLocOpBuilder &builder, Block &body,
                      const CpuEmitOptions &options)
      : b(builder), op(&body.front()) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    shape.assign(type.getShape().begin(), type.getShape().end());
    bytes = getElementBytes(type.getElementType());
    lanes = options.vectorBytes / bytes;
    places = cast<MovementOpInterface>(op).getMovement().insertions;
    // Of rows: what is joined inside of them all rows have.
    sortedDim = findSortedDim(
        places.size(), std::max<size_t>(shape.size(), 1) - 1,
        [&](size_t i, size_t dim) { return places[i][dim]; },
        [&](size_t i, size_t dim) {
          return cast<RankedTensorType>(op->getOperand(i).getType())
              .getDimSize(dim);
        });
  }
  void emit(mlir::func::FuncOp function);

private:
  void emitRow(Value item);
  void emitPieces(size_t first, size_t end, ArrayRef<Value> row, Run target);
  void emitMany(size_t first, size_t end, ArrayRef<Value> row, Run target);
  void emitPiece(Value operand, ArrayRef<int64_t> place, ArrayRef<Value> row,
                 Run target);
  void copy(Run from, Run to, int64_t length);
  void copyChunk(Run from, Run to, Value offset, Value mask);
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  bool leavesGaps() const;

  mlir::ImplicitLocOpBuilder &b;
  Operation *op;
  SmallVector<int64_t> shape; ///< Of the result.
  unsigned bytes;
  int64_t lanes;
  SmallVector<SmallVector<int64_t>> places; ///< Of operands in the result.
  std::optional<size_t> sortedDim;
  DenseMap<Value, Value> memrefs; ///< Block argument -> flat memref.
  Value result;
};
} // namespace

void InsertSlicesEmitter::emit(mlir::func::FuncOp function) {
  b.setInsertionPointToStart(&function.getBody().front());
  auto arguments = function.getArguments();
  auto operands = op->getBlock()->getArguments();
  for (auto [operand, argument] : llvm::zip(operands, arguments))
    memrefs[operand] = flatten(b, argument);
  result = flatten(b, arguments[operands.size()]);
  auto rows = scf::ForOp::create(b, arguments[arguments.size() - 2],
                                 arguments.back(), index(1));
  b.setInsertionPointToStart(rows.getBody());
  emitRow(rows.getInductionVar());
  b.setInsertionPointAfter(rows);
  mlir::func::ReturnOp::create(b);
}

bool InsertSlicesEmitter::leavesGaps() const {
  int64_t placed = 0, all = 1;
  for (Value operand : op->getOperands())
    placed += cast<RankedTensorType>(operand.getType()).getNumElements();
  for (int64_t size : shape)
    all *= size;
  return placed < all;
}

void InsertSlicesEmitter::emitRow(Value item) {
  int64_t length = shape.empty() ? 1 : shape.back();
  Run target{result, arith::MulIOp::create(b, item, index(length))};
  if (leavesGaps())
    copy({}, target, length);
  SmallVector<Value> row(shape.empty() ? 0 : shape.size() - 1);
  Value rest = item;
  for (size_t dim = row.size(); dim-- > 0;) {
    Value size = index(shape[dim]);
    row[dim] = dim == 0 ? rest : arith::RemUIOp::create(b, rest, size);
    rest = dim == 0 ? rest : arith::DivUIOp::create(b, rest, size);
  }
  emitPieces(0, op->getNumOperands(), row, target);
}

/// Looks for the row's piece in halves, where operands are sorted.
void InsertSlicesEmitter::emitPieces(size_t first, size_t end,
                                     ArrayRef<Value> row, Run target) {
  constexpr size_t kTried = 4;
  if (end - first > kTogether && !sortedDim)
    return emitMany(first, end, row, target);
  if (end - first <= kTried || !sortedDim) {
    for (size_t i = first; i < end; ++i)
      emitPiece(op->getOperand(i), places[i], row, target);
    return;
  }
  size_t middle = (first + end) / 2;
  Value isBefore =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row[*sortedDim],
                            index(places[middle][*sortedDim]));
  auto half = scf::IfOp::create(b, isBefore, /*withElseRegion=*/true);
  b.setInsertionPoint(half.thenYield());
  emitPieces(first, middle, row, target);
  b.setInsertionPoint(half.elseYield());
  emitPieces(middle, end, row, target);
  b.setInsertionPointAfter(half);
}

/// The same of many pieces in each row: some of them at a time, in blocks that
/// a loop goes through. LLVM takes time by the square of the accesses in a
/// block.
void InsertSlicesEmitter::emitMany(size_t first, size_t end,
                                   ArrayRef<Value> row, Run target) {
  SmallVector<int64_t> cases;
  for (size_t at = first; at + kTogether < end; at += kTogether)
    cases.push_back(int64_t(cases.size()));
  auto loop = scf::ForOp::create(b, index(0), index(int64_t(cases.size()) + 1),
                                 index(1));
  b.setInsertionPointToStart(loop.getBody());
  auto choice =
      scf::IndexSwitchOp::create(b, mlir::TypeRange(), loop.getInductionVar(),
                                 cases, unsigned(cases.size()));
  for (mlir::Region &region : choice->getRegions()) {
    // The default region stands first, and has the last of them.
    unsigned number = region.getRegionNumber();
    size_t from = first + kTogether * (number == 0 ? cases.size() : number - 1);
    b.setInsertionPointToStart(&region.emplaceBlock());
    auto yield = scf::YieldOp::create(b);
    b.setInsertionPoint(yield);
    emitPieces(from, std::min(from + kTogether, end), row, target);
  }
  b.setInsertionPointAfter(loop);
}

/// Copies the row of `operand` that lies in this row of the result, if any
/// does.
void InsertSlicesEmitter::emitPiece(Value operand, ArrayRef<int64_t> place,
                                    ArrayRef<Value> row, Run target) {
  auto own = cast<RankedTensorType>(operand.getType()).getShape();
  auto strides = graph::getRowMajorStrides(own);
  Value inside = arith::ConstantIntOp::create(b, 1, 1);
  Run from{memrefs.lookup(operand), index(0)};
  for (auto [dim, at] : llvm::enumerate(row)) {
    // Unsigned, so that indices before the place wrap around to large ones.
    Value shifted = arith::SubIOp::create(b, at, index(place[dim]));
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, shifted,
                                       index(own[dim]));
    inside = arith::AndIOp::create(b, inside, fits);
    from.first =
        add(from.first, arith::MulIOp::create(b, shifted, index(strides[dim])));
  }
  if (!place.empty())
    target.first = add(target.first, index(place.back()));
  auto guarded = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
  b.setInsertionPoint(guarded.thenYield());
  copy(from, target, own.empty() ? 1 : own.back());
  b.setInsertionPointAfter(guarded);
}

void InsertSlicesEmitter::copyChunk(Run from, Run to, Value offset,
                                    Value mask) {
  Type element = cast<mlir::MemRefType>(to.memref.getType()).getElementType();
  auto type = mlir::VectorType::get({lanes}, element);
  Value value = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (from.memref && mask)
    value = vector::MaskedLoadOp::create(b, type, from.memref,
                                         add(from.first, offset), mask, value);
  else if (from.memref)
    value =
        vector::LoadOp::create(b, type, from.memref, add(from.first, offset));
  Value address = add(to.first, offset);
  if (mask)
    vector::MaskedStoreOp::create(b, to.memref, address, mask, value);
  else
    vector::StoreOp::create(b, value, to.memref, address);
}

void InsertSlicesEmitter::copy(Run from, Run to, int64_t length) {
  int64_t main = length / lanes * lanes;
  if (main) {
    auto chunks = scf::ForOp::create(b, index(0), index(main), index(lanes));
    b.setInsertionPointToStart(chunks.getBody());
    copyChunk(from, to, chunks.getInductionVar(), Value());
    b.setInsertionPointAfter(chunks);
  }
  if (main == length)
    return;
  auto type = mlir::VectorType::get({lanes}, b.getI1Type());
  Value mask =
      vector::ConstantMaskOp::create(b, type, ArrayRef<int64_t>{length - main});
  copyChunk(from, to, index(main), mask);
}

void emit::emitInsertSlices(mlir::ImplicitLocOpBuilder &builder, Block &body,
                            mlir::func::FuncOp function,
                            const CpuEmitOptions &options) {
  InsertSlicesEmitter(builder, body, options).emit(function);
}
