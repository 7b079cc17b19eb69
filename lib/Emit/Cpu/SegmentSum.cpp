// Segment sums: see SegmentSums.h for what an item does. It adds in the
// result's memory, which has the compute type.
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/Analysis/SegmentSums.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {
class SegmentSumEmitter {
public:
  SegmentSumEmitter(mlir::ImplicitLocOpBuilder &builder, Block &body,
                    const CpuEmitOptions &options)
      : b(builder), op(cast<SegmentSumOpInterface>(body.front())), sums(op),
        element(mlir::getElementTypeOrSelf(op->getResult(0))),
        lanes(options.vectorBytes / getElementBytes(element)),
        streamedBytes(options.streamedBytes) {}
  void emit(mlir::func::FuncOp function);

private:
  /// What an item owns: `before`, [`first`, `first` + `segments`) and, after
  /// it, [`from`, `from` + `length`).
  struct Item {
    Value before, first, segments, from, length;
  };
  /// Whether zeros are stored past the caches.
  bool streams() const;
  Item findItem(Value number);
  void setToZero(const Item &item);
  void addSlices(const Item &item);
  void addSlice(const Item &item, Value segment, Value position);
  using Run = function_ref<void(Value offset, Value mask)>;
  void forEachChunk(Value length, Run run);
  void forEach(Value end, function_ref<void(Value)> fill);

  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiply(Value x, int64_t factor) {
    return arith::MulIOp::create(b, x, index(factor));
  }
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }
  /// What is left of `size` from `first` on, but at most `most`.
  Value countLeft(int64_t size, Value first, int64_t most);

  mlir::ImplicitLocOpBuilder &b;
  SegmentSumOpInterface op;
  graph::SegmentSums sums;
  Type element;
  int64_t lanes, streamedBytes;
  Value input, indices, result; ///< With one dim.
};
} // namespace

Value SegmentSumEmitter::countLeft(int64_t size, Value first, int64_t most) {
  if (size % most == 0)
    return index(most);
  Value left = arith::SubIOp::create(b, index(size), first);
  return arith::MinUIOp::create(b, left, index(most));
}

void SegmentSumEmitter::forEach(Value end, function_ref<void(Value)> fill) {
  auto loop = scf::ForOp::create(b, index(0), end, index(1));
  b.setInsertionPointToStart(loop.getBody());
  fill(loop.getInductionVar());
  b.setInsertionPointAfter(loop);
}

SegmentSumEmitter::Item SegmentSumEmitter::findItem(Value number) {
  Value ranges = index(sums.numAfterRanges());
  Value blocks = index(sums.numSegmentBlocks());
  Value block = arith::DivUIOp::create(b, number, ranges);
  Item item;
  item.before = arith::DivUIOp::create(b, block, blocks);
  item.first =
      multiply(arith::RemUIOp::create(b, block, blocks), sums.segmentsPerItem);
  item.segments = countLeft(sums.numSegments, item.first, sums.segmentsPerItem);
  item.from =
      multiply(arith::RemUIOp::create(b, number, ranges), sums.afterPerItem);
  item.length = countLeft(sums.after, item.from, sums.afterPerItem);
  return item;
}

/// Whole vectors, and what is left in one with a mask.
void SegmentSumEmitter::forEachChunk(Value length, Run run) {
  Value whole = arith::MulIOp::create(
      b, arith::DivUIOp::create(b, length, index(lanes)), index(lanes));
  auto chunks = scf::ForOp::create(b, index(0), whole, index(lanes));
  b.setInsertionPointToStart(chunks.getBody());
  run(chunks.getInductionVar(), Value());
  b.setInsertionPointAfter(chunks);
  Value left = arith::SubIOp::create(b, length, whole);
  Value isLeft =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, left, index(0));
  auto rest = scf::IfOp::create(b, isLeft, /*withElseRegion=*/false);
  b.setInsertionPoint(rest.thenYield());
  auto type = mlir::VectorType::get({lanes}, b.getI1Type());
  run(whole, vector::CreateMaskOp::create(b, type, left));
  b.setInsertionPointAfter(rest);
}

/// Such stores have whole, aligned vectors.
bool SegmentSumEmitter::streams() const {
  int64_t bytes = getElementBytes(element);
  return sums.before * sums.numSegments * sums.after * bytes >= streamedBytes &&
         sums.after % lanes == 0 && sums.afterPerItem % lanes == 0;
}

void SegmentSumEmitter::setToZero(const Item &item) {
  auto type = mlir::VectorType::get({lanes}, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value first = add(multiply(item.before, sums.numSegments), item.first);
  forEach(item.segments, [&](Value segment) {
    Value row = add(multiply(add(first, segment), sums.after), item.from);
    forEachChunk(item.length, [&](Value offset, Value mask) {
      Value address = add(row, offset);
      if (mask)
        vector::MaskedStoreOp::create(b, result, address, mask, zero);
      else if (streams())
        vector::StoreOp::create(b, zero, result, address, /*nontemporal=*/true,
                                llvm::Align(lanes * getElementBytes(element)));
      else
        vector::StoreOp::create(b, zero, result, address);
    });
  });
}

void SegmentSumEmitter::addSlice(const Item &item, Value segment,
                                 Value position) {
  Value to = add(multiply(add(multiply(item.before, sums.numSegments), segment),
                          sums.after),
                 item.from);
  Value from =
      add(multiply(add(multiply(item.before, sums.numIndices), position),
                   sums.after),
          item.from);
  auto type = mlir::VectorType::get({lanes}, element);
  auto load = [&](Value memref, Value address, Value mask) -> Value {
    if (!mask)
      return vector::LoadOp::create(b, type, memref, address);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, type, memref, address, mask, zero);
  };
  forEachChunk(item.length, [&](Value offset, Value mask) {
    Value address = add(to, offset);
    Value sum = load(result, address, mask);
    Value slice = load(input, add(from, offset), mask);
    sum = isa<FloatType>(element)
              ? arith::AddFOp::create(b, sum, slice).getResult()
              : arith::AddIOp::create(b, sum, slice).getResult();
    if (mask)
      vector::MaskedStoreOp::create(b, result, address, mask, sum);
    else
      vector::StoreOp::create(b, sum, result, address);
  });
}

void SegmentSumEmitter::addSlices(const Item &item) {
  Type integer = cast<mlir::MemRefType>(indices.getType()).getElementType();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(integer, number));
  };
  forEach(index(sums.numIndices), [&](Value position) {
    Value named = memref::LoadOp::create(b, indices, position);
    // In the type of the indices, so that none from outside gets in.
    Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, named,
                                           constant(sums.numSegments));
    if (sums.ignored)
      isInside = arith::AndIOp::create(
          b, isInside,
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, named,
                                constant(*sums.ignored)));
    Value segment = arith::IndexCastOp::create(b, b.getIndexType(), named);
    Value isOwn = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ult,
        arith::SubIOp::create(b, segment, item.first), item.segments);
    auto guarded = scf::IfOp::create(
        b, arith::AndIOp::create(b, isInside, isOwn), /*withElseRegion=*/false);
    b.setInsertionPoint(guarded.thenYield());
    addSlice(item, segment, position);
    b.setInsertionPointAfter(guarded);
  });
}

void SegmentSumEmitter::emit(mlir::func::FuncOp function) {
  b.setInsertionPointToStart(&function.getBody().front());
  auto arguments = function.getArguments();
  auto argumentOf = [&](unsigned operand) -> Value {
    auto own = cast<mlir::BlockArgument>(op->getOperand(operand));
    return flatten(b, arguments[own.getArgNumber()]);
  };
  input = argumentOf(0);
  indices = argumentOf(1);
  result = flatten(b, arguments[op->getBlock()->getNumArguments()]);
  auto items = scf::ForOp::create(b, arguments[arguments.size() - 2],
                                  arguments.back(), index(1));
  b.setInsertionPointToStart(items.getBody());
  Item item = findItem(items.getInductionVar());
  setToZero(item);
  addSlices(item);
  b.setInsertionPointAfter(items);
  mlir::func::ReturnOp::create(b);
}

void emit::emitSegmentSum(mlir::ImplicitLocOpBuilder &builder, Block &body,
                          mlir::func::FuncOp function,
                          const CpuEmitOptions &options) {
  SegmentSumEmitter(builder, body, options).emit(function);
}
