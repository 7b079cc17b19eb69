// Addresses and loads of the point evaluator.
#include "PointEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace vector = mlir::vector;

Value PointEvaluator::addStrides(Value sum, const graph::Access &access,
                                 const Scope &scope, uint64_t dims) {
  for (auto [dim, stride] : llvm::enumerate(access.strides)) {
    if (!stride || !(dims >> dim & 1))
      continue;
    Value term = scope.index[dim];
    if (stride != 1)
      term = arith::MulIOp::create(b, term, index(stride), options.overflow);
    sum = arith::AddIOp::create(b, sum, term, options.overflow);
  }
  return sum;
}

/// The part that the item fixes is computed once per item.
Value PointEvaluator::getAddress(Value value, const graph::Access &access,
                                 Scope &scope) {
  Scope &item = scope.getItem();
  Value &base = item.addresses[value];
  if (!base) {
    mlir::OpBuilder::InsertionGuard guard(b);
    enter(item);
    base = addStrides(index(access.offset), access, item, item.available);
    if (access.partStride) {
      Value part = arith::MulIOp::create(b, item.part, index(access.partStride),
                                         options.overflow);
      base = arith::AddIOp::create(b, base, part, options.overflow);
    }
  }
  return addStrides(base, access, scope, scope.available & ~item.available);
}

void PointEvaluator::loadEarly(Value value, Scope &chunk) {
  if (findHome(value, chunk) == &chunk && !copies.contains(value) &&
      !buffers.contains(value))
    chunk.stored[value] = readStored(value, chunk);
}

/// Slices and gathers read an operand of the group.
std::pair<Value, Value> PointEvaluator::locate(Value value, Scope &scope) {
  Operation *op = value.getDefiningOp();
  Value memref = memrefs.lookup(op ? op->getOperand(0) : value);
  return {memref, getAddress(value, shape.accesses.find(value)->second, scope)};
}

Value PointEvaluator::readStored(Value value, Scope &home) {
  if (Value early = home.stored.lookup(value))
    return early;
  const graph::Access &access = shape.accesses.find(value)->second;
  int64_t stride = home.isVector ? access.strides[shape.axis] : 0;
  auto [memref, address] = locate(value, home);
  return access.index ? readGathered(memref, access, address, home)
                      : memory.read(memref, address, stride, home);
}

/// What memory holds of `value`, as kernels compute with it.
Value PointEvaluator::widen(Value value, Value stored, bool isVector) {
  Type storage = getElementTypeOrSelf(value), compute = getComputeType(storage);
  if (storage.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(stored.getType()));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, stored, zero);
  }
  if (storage == compute)
    return stored;
  return arith::ExtFOp::create(b, inScope(compute, isVector), stored);
}

/// Of numbers that are not negative.
Value PointEvaluator::castIndex(Value number, Type element) {
  Type from = getElementTypeOrSelf(number), to = element;
  if (from == element)
    return number;
  if (auto lanes = dyn_cast<mlir::VectorType>(number.getType()))
    to = lanes.clone(element);
  if (isa<mlir::IndexType>(from) || isa<mlir::IndexType>(element))
    return arith::IndexCastOp::create(b, to, number);
  return from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth()
             ? arith::ExtUIOp::create(b, to, number).getResult()
             : arith::TruncIOp::create(b, to, number).getResult();
}

/// The index itself, as an element of an iota.
Value PointEvaluator::getIndexValue(Value value, Scope &home) {
  const graph::Access &access = shape.accesses.find(value)->second;
  Type element = getElementTypeOrSelf(value);
  Value first = addStrides(index(access.offset), access, home, home.available);
  Value number = castIndex(first, element);
  if (!home.isVector || options.lanes == 1)
    return number;
  Value lanes = buildLaneOffsets(b, options.lanes, access.strides[shape.axis],
                                 element.getIntOrFloatBitWidth());
  Value splat = vector::BroadcastOp::create(b, inScope(element, true), number);
  return arith::AddIOp::create(b, splat, lanes);
}
