// Values of a row kernel that are kept: in buffers on the stack what two sweeps
// of a row need and is costly to compute, and what each row needs and is the
// same; in memory that its owner has given, copies of operands.
#include "PointEvaluator.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/Analysis/ComparedValues.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

// All buffers of a kernel, on the stack of the thread that runs it: the
// exponentials of a row of 50257, with room for its 16-bit operand.
constexpr int64_t kBufferBytes = int64_t(256) * 1024;
// A buffer that is written once and read once pays from here on.
constexpr int64_t kFewRows = 4;
// Operands that are wider in a buffer than in memory must be near in it.
constexpr int64_t kNearBytes = int64_t(16) * 1024;

/// Whether a kernel computes with another type than memory holds.
static bool isWidened(Value value) {
  Type storage = getElementTypeOrSelf(value);
  return isa<FloatType>(storage) && getComputeType(storage) != storage;
}

/// An operand of 16 bits that differs along the axis alone, where a task has
/// several rows.
bool PointEvaluator::isSameInEachRow(Value value) const {
  int64_t rows = shape.grain * std::max<int64_t>(shape.rowsPerPart, 1);
  return isWidened(value) && rows >= kFewRows &&
         shape.varies.lookup(value) == uint64_t(1) << shape.axis;
}

/// Costly values, and those of bf16: to widen one takes two instructions on
/// halves of vectors, more than to load it again, and to round one takes seven.
/// One of f16 takes one, and two.
bool PointEvaluator::isWorthKeeping(Value value) const {
  if (std::popcount(shape.sweeps.lookup(value)) < 2)
    return false;
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<CostlyBody>())
    return true;
  if (op && !(graph::isComputedWider(op) && isRounded(value)))
    return false;
  Type storage = getElementTypeOrSelf(value);
  return storage.isBF16() && shape.dims[shape.axis].size *
                                     getElementBytes(getComputeType(storage)) <=
                                 kNearBytes;
}

/// Makes a buffer for `value` if `left` bytes are enough.
bool PointEvaluator::reserve(Value value, int64_t &left) {
  Type element = getComputeType(getElementTypeOrSelf(value));
  int64_t size = llvm::alignTo(shape.dims[shape.axis].size, options.lanes);
  if (size * getElementBytes(element) > left)
    return false;
  left -= size * getElementBytes(element);
  buffers[value] = memref::AllocaOp::create(
      b, mlir::MemRefType::get({size}, element), b.getI64IntegerAttr(64));
  return true;
}

void PointEvaluator::reserveBuffers() {
  bool isRow = shape.axis >= 0 && shape.isReducedAxis() &&
               shape.axis == int(shape.numItemDims);
  if (!isRow)
    return;
  int64_t left = kBufferBytes;
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      if (shape.isSwept(result) && isWorthKeeping(result))
        reserve(result, left);
  // What all that it is read for is kept of is read once. A later sweep that
  // wants a result which is not computes all of its op again.
  auto isKept = [&](Operation *user) {
    return user->getNumResults() != 0 &&
           llvm::all_of(user->getResults(), [&](Value result) {
             return result.use_empty() || buffers.contains(result);
           });
  };
  for (Value argument : body.getArguments()) {
    auto access = shape.accesses.find(argument);
    if (access == shape.accesses.end() ||
        access->second.strides[shape.axis] != 1)
      continue;
    if (isSameInEachRow(argument)) {
      if (reserve(argument, left))
        sameInEachRow.push_back(argument);
    } else if (isWorthKeeping(argument) &&
               !llvm::all_of(argument.getUsers(), isKept)) {
      reserve(argument, left);
    }
  }
}

bool PointEvaluator::computesCostly(unsigned sweep) const {
  auto isComputed = [&](Value value) {
    if (!(shape.varies.lookup(value) >> shape.axis & 1))
      return false;
    uint64_t sweeps = shape.sweeps.lookup(value);
    return buffers.contains(value) ? unsigned(std::countr_zero(sweeps)) == sweep
                                   : bool(sweeps >> sweep & 1);
  };
  return llvm::any_of(body.without_terminator(), [&](Operation &op) {
    return op.hasTrait<CostlyBody>() &&
           llvm::any_of(op.getResults(), isComputed);
  });
}

void PointEvaluator::keepAlongAxis(Scope &chunk) {
  for (Value value : sameInEachRow)
    vector::StoreOp::create(b, computeAnew(value, chunk), buffers[value],
                            chunk.index[shape.axis]);
}

Value PointEvaluator::getKept(Value value, Scope &home) {
  Value buffer = buffers.lookup(value), column = home.index[shape.axis];
  if (!isFirstVisit(value, home) || llvm::is_contained(sameInEachRow, value)) {
    Type element = getComputeType(getElementTypeOrSelf(value));
    auto type = cast<mlir::VectorType>(inScope(element, /*isVector=*/true));
    return vector::LoadOp::create(b, type, buffer, column);
  }
  Value result = computeAnew(value, home);
  vector::StoreOp::create(b, result, buffer, column);
  return result;
}

Value PointEvaluator::getCopied(Value value, Scope &home) {
  Value copy = copies.lookup(value), column = home.index[shape.axis];
  if (copiesAreFilled || !isFirstVisit(value, home))
    return widen(value, memory.read(copy, column, /*stride=*/1, home),
                 home.isVector);
  Value stored = readStored(value, home);
  memory.write(copy, column, /*stride=*/1, stored, home);
  return widen(value, stored, home.isVector);
}

/// Whether no earlier sweep came by with `value`.
bool PointEvaluator::isFirstVisit(Value value, const Scope &home) const {
  return home.sweep <= unsigned(std::countr_zero(shape.sweeps.lookup(value)));
}
