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
  for (const graph::WindowDim &window : access.window)
    if (window.dim >= 0)
      dims &= ~(uint64_t(1) << window.dim);
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
Place PointEvaluator::getPlace(Value value, const graph::Access &access,
                               Scope &scope) {
  Scope &item = scope.getItem();
  Place &base = item.places[value];
  if (!base.address) {
    mlir::OpBuilder::InsertionGuard guard(b);
    enter(item);
    base.address =
        addStrides(index(access.offset), access, item, item.available);
    if (access.partStride) {
      Value part = arith::MulIOp::create(b, item.part, index(access.partStride),
                                         options.overflow);
      base.address =
          arith::AddIOp::create(b, base.address, part, options.overflow);
    }
    addWindow(base, access, item, item.available, /*withFixed=*/true);
  }
  uint64_t more = scope.available & ~item.available;
  Place place = base;
  place.address = addStrides(place.address, access, scope, more);
  if (more)
    addWindow(place, access, scope, more, /*withFixed=*/false);
  return place;
}

void PointEvaluator::loadEarly(Value value, Scope &chunk) {
  if (findHome(value, chunk) == &chunk && !copies.contains(value) &&
      !buffers.contains(value))
    chunk.stored[value] = readStored(value, chunk);
}

/// Slices and gathers read an operand of the group.
Value PointEvaluator::getMemory(Value value) const {
  Operation *op = value.getDefiningOp();
  return memrefs.lookup(op ? op->getOperand(0) : value);
}

std::pair<Value, Value> PointEvaluator::locate(Value value, Scope &scope) {
  const graph::Access &access = shape.accesses.find(value)->second;
  return {getMemory(value), getPlace(value, access, scope).address};
}

Value PointEvaluator::readStored(Value value, Scope &home) {
  if (Value early = home.stored.lookup(value))
    return early;
  const graph::Access &access = shape.accesses.find(value)->second;
  Value memref = getMemory(value);
  Place place = getPlace(value, access, home);
  if (!access.window.empty())
    return readWindow(memref, access, place, home);
  if (access.index)
    return readGathered(memref, access, place.address, home);
  int64_t stride = home.isVector ? access.strides[shape.axis] : 0;
  return memory.read(memref, place.address, stride, home);
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
