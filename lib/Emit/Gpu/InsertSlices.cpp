// Concat and pad on a GPU: a thread takes a chunk of the result, as long as one
// access moves and no piece cuts, and looks for the piece that it lies in;
// zeros where there is none. Elements are moved in their storage type.
#include "../Common/Pieces.h"
#include "Kernels.h"
#include "Memory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace {
constexpr int64_t kThreads = 256;

/// A tensor whose dims from some dim on are one: all pieces fill the dims
/// after it.
struct Piece {
  SmallVector<int64_t> sizes, place, strides;
};

class InsertSlicesEmitter {
public:
  explicit InsertSlicesEmitter(GpuTask task);
  FailureOr<GpuKernel> emit();

private:
  Piece collapse(ArrayRef<int64_t> shape, ArrayRef<int64_t> place,
                 size_t rank) const;
  Value copyPieces(size_t first, size_t end, ArrayRef<Value> index,
                   const Scope &chunk);
  Value copyPiece(unsigned number, ArrayRef<Value> index, Value value,
                  const Scope &chunk);

  GpuTask task;
  Piece result;
  SmallVector<Piece> pieces;
  std::optional<size_t> sortedDim;
  int64_t width, numChunks = 1;
  GpuFunction *function = nullptr;
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
} // namespace

Piece InsertSlicesEmitter::collapse(ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> place,
                                    size_t rank) const {
  Piece piece;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (dim < rank) {
      piece.sizes.push_back(size);
      piece.place.push_back(place.empty() ? 0 : place[dim]);
      continue;
    }
    piece.sizes.back() *= size;
    piece.place.back() *= size;
  }
  if (piece.sizes.empty()) { // A scalar.
    piece.sizes.push_back(1);
    piece.place.push_back(0);
  }
  piece.strides = graph::getRowMajorStrides(piece.sizes);
  return piece;
}

InsertSlicesEmitter::InsertSlicesEmitter(GpuTask task) : task(task) {
  Operation *op = &task.body.front();
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  size_t rank = shape.size();
  auto isFull = [&](size_t dim) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return shapeOf(operand)[dim] == shape[dim];
    });
  };
  while (rank > 1 && isFull(rank - 1))
    --rank;
  result = collapse(shape, {}, rank);
  Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  int64_t common = result.sizes.back();
  auto insertions = cast<MovementOpInterface>(op).getMovement().insertions;
  for (auto [operand, place] : llvm::zip(op->getOperands(), insertions)) {
    pieces.push_back(collapse(shapeOf(operand), place, rank));
    common = std::gcd(common, pieces.back().sizes.back());
    common = std::gcd(common, pieces.back().place.back());
  }
  sortedDim = findSortedDim(
      pieces.size(), result.sizes.size(),
      [&](size_t i, size_t dim) { return pieces[i].place[dim]; },
      [&](size_t i, size_t dim) { return pieces[i].sizes[dim]; });
  width = 16 / getElementBytes(element);
  while (common % width)
    width /= 2;
  for (int64_t size : result.sizes)
    numChunks *= size;
  numChunks /= width;
}

/// Looks for the chunk's piece in halves, where pieces are sorted, until few
/// are left to try.
Value InsertSlicesEmitter::copyPieces(size_t first, size_t end,
                                      ArrayRef<Value> index,
                                      const Scope &chunk) {
  constexpr size_t kTried = 8;
  auto &f = *function;
  if (end - first <= kTried || !sortedDim) {
    Value value;
    for (size_t piece = first; piece < end; ++piece)
      value = copyPiece(piece, index, value, chunk);
    return value;
  }
  size_t middle = (first + end) / 2;
  Value isBefore =
      f.isBelow(index[*sortedDim], pieces[middle].place[*sortedDim]);
  Type element =
      mlir::getElementTypeOrSelf(task.body.front().getResult(0).getType());
  auto half = scf::IfOp::create(f.b, getLanesType(element, width), isBefore,
                                /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(half.thenBlock());
  scf::YieldOp::create(f.b, copyPieces(first, middle, index, chunk));
  f.b.setInsertionPointToStart(half.elseBlock());
  scf::YieldOp::create(f.b, copyPieces(middle, end, index, chunk));
  return half.getResult(0);
}

/// `value`, or the piece's elements where the chunk lies in it.
Value InsertSlicesEmitter::copyPiece(unsigned number, ArrayRef<Value> index,
                                     Value value, const Scope &chunk) {
  auto &f = *function;
  const Piece &piece = pieces[number];
  Scope inside = chunk;
  Value isOurs;
  Value address = f.index(0);
  for (auto [dim, at] : llvm::enumerate(index)) {
    // Unsigned, so that indices before the place wrap around to large ones.
    Value shifted = at;
    if (piece.place[dim])
      shifted = arith::SubIOp::create(f.b, at, f.index(piece.place[dim]));
    if (piece.sizes[dim] != result.sizes[dim])
      isOurs = f.both(isOurs, f.isBelow(shifted, piece.sizes[dim]));
    address = f.add(address, f.multiply(shifted, piece.strides[dim]));
  }
  inside.predicate = f.both(chunk.predicate, isOurs);
  // Equal operands are one argument of the group.
  Value operand = task.body.front().getOperand(number);
  unsigned argument = cast<mlir::BlockArgument>(operand).getArgNumber();
  GpuMemory memory(f.b, width);
  Value read = memory.read(f.flatten(argument), address, 1, inside);
  if (!value || !isOurs)
    return read;
  return arith::SelectOp::create(f.b, isOurs, read, value);
}

FailureOr<GpuKernel> InsertSlicesEmitter::emit() {
  auto stage =
      makeGpuStage(task, llvm::divideCeil(numChunks, kThreads), kThreads);
  if (failed(stage))
    return failure();
  GpuFunction own(task, *stage);
  function = &own;
  Value number = own.add(own.multiply(own.blockId(), kThreads), own.threadId());
  Scope chunk = own.makeEntry();
  chunk.isVector = true;
  if (numChunks % kThreads)
    chunk.predicate = own.isBelow(number, numChunks);
  Value rest = number;
  SmallVector<Value> index(result.sizes.size());
  for (size_t dim = index.size(); dim-- > 0;) {
    bool isLast = dim + 1 == index.size();
    int64_t size = result.sizes[dim] / (isLast ? width : 1);
    index[dim] = dim == 0 ? rest : own.remainder(rest, size);
    rest = dim == 0 ? rest : own.divide(rest, size);
    if (isLast)
      index[dim] = own.multiply(index[dim], width);
  }
  Value value = copyPieces(0, pieces.size(), index, chunk);
  GpuMemory memory(own.b, width);
  unsigned numOperands = task.body.getNumArguments();
  memory.write(own.flatten(numOperands), own.multiply(number, width), 1, value,
               chunk);
  own.finish();
  return GpuKernel{{*stage}};
}

FailureOr<GpuKernel> emit::emitGpuInsertSlices(GpuTask task) {
  return InsertSlicesEmitter(task).emit();
}
