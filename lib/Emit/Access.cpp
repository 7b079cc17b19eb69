// Addresses, loads and stores of the point evaluator.
#include "PointEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

namespace {
Type elementOf(Value value) {
  return mlir::getElementTypeOrSelf(value.getType());
}
} // namespace

Value PointEvaluator::addStrides(Value sum, const graph::Access &access,
                                 const Scope &scope, uint64_t dims) {
  for (auto [dim, stride] : llvm::enumerate(access.strides)) {
    if (!stride || !(dims >> dim & 1))
      continue;
    Value term = scope.index[dim];
    if (stride != 1)
      term = arith::MulIOp::create(b, term, index(stride));
    sum = arith::AddIOp::create(b, sum, term);
  }
  return sum;
}

/// The part that the item fixes is computed once per item.
Value PointEvaluator::getAddress(Value value, const graph::Access &access,
                                 Scope &scope) {
  Scope &item = *scope.chain[std::min<size_t>(1, scope.chain.size() - 1)];
  Value &base = item.addresses[value];
  if (!base) {
    mlir::OpBuilder::InsertionGuard guard(b);
    enter(item);
    base = addStrides(index(access.offset), access, item, item.available);
  }
  return addStrides(base, access, scope, scope.available & ~item.available);
}

Value PointEvaluator::load(Value value, Scope &home) {
  const graph::Access &access = shape.accesses.find(value)->second;
  // A slice reads the operand of the group that it slices.
  Operation *op = value.getDefiningOp();
  Value memref = memrefs.lookup(op ? op->getOperand(0) : value);
  int64_t stride = home.isVector ? access.strides[shape.axis] : 0;
  Value address = getAddress(value, access, home);
  Value stored = readMemory(memref, address, stride, home);
  Type storage = elementOf(value), compute = getComputeType(storage);
  if (storage.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(stored.getType()));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, stored, zero);
  }
  if (storage == compute)
    return stored;
  return arith::ExtFOp::create(b, inScope(compute, home.isVector), stored);
}

/// The index itself, as an element of an iota.
Value PointEvaluator::getIndexValue(Value value, Scope &home) {
  const graph::Access &access = shape.accesses.find(value)->second;
  Type element = elementOf(value);
  Value first = addStrides(index(access.offset), access, home, home.available);
  Value number = arith::IndexCastOp::create(b, element, first);
  if (!home.isVector)
    return number;
  Value lanes = getLaneOffsets(access.strides[shape.axis],
                               element.getIntOrFloatBitWidth());
  Value splat = vector::BroadcastOp::create(b, inScope(element, true), number);
  return arith::AddIOp::create(b, splat, lanes);
}

Value PointEvaluator::getLaneOffsets(int64_t stride, unsigned bits) {
  auto type = mlir::VectorType::get({numLanes}, b.getIntegerType(bits));
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < numLanes; ++lane)
    offsets.push_back(b.getIntegerAttr(type.getElementType(), lane * stride));
  return arith::ConstantOp::create(
      b, cast<mlir::TypedAttr>(mlir::DenseElementsAttr::get(type, offsets)));
}

Value PointEvaluator::getMask(const Scope &scope) {
  if (scope.mask)
    return scope.mask;
  auto type = cast<mlir::VectorType>(inScope(b.getI1Type(), true));
  return arith::ConstantOp::create(
      b, cast<mlir::TypedAttr>(mlir::DenseElementsAttr::get(type, true)));
}

Value PointEvaluator::readMemory(Value memref, Value address, int64_t stride,
                                 Scope &scope) {
  Type element = cast<mlir::MemRefType>(memref.getType()).getElementType();
  if (!scope.isVector)
    return memref::LoadOp::create(b, memref, address);
  auto type = cast<mlir::VectorType>(inScope(element, true));
  if (stride == 1 && !scope.mask)
    return vector::LoadOp::create(b, type, memref, address);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (stride == 1)
    return vector::MaskedLoadOp::create(b, type, memref, address, scope.mask,
                                        zero);
  return vector::GatherOp::create(b, type, memref, address,
                                  getLaneOffsets(stride, 64), getMask(scope),
                                  zero);
}

void PointEvaluator::writeMemory(Value memref, Value address, int64_t stride,
                                 Value value, Scope &scope) {
  Type element = cast<mlir::MemRefType>(memref.getType()).getElementType();
  Type type = inScope(element, scope.isVector);
  if (elementOf(value).isInteger(1))
    value = arith::ExtUIOp::create(b, type, value);
  else if (elementOf(value) != element)
    value = arith::TruncFOp::create(b, type, value);
  // One lane as a scalar: LLVM 22 turns a masked store of one truncated element
  // into a store of the wide one (x86, AVX-512), which overwrites its
  // neighbour.
  if (scope.isVector && scope.liveLanes == 1)
    value = vector::ExtractOp::create(b, value, int64_t(0));
  if (!scope.isVector || scope.liveLanes == 1)
    memref::StoreOp::create(b, value, memref, address);
  else if (stride == 1 && !scope.mask)
    vector::StoreOp::create(b, value, memref, address);
  else if (stride == 1)
    vector::MaskedStoreOp::create(b, memref, address, scope.mask, value);
  else
    vector::ScatterOp::create(b, /*result=*/Type(), memref, ValueRange(address),
                              getLaneOffsets(stride, 64), getMask(scope), value,
                              /*alignment=*/mlir::IntegerAttr());
}
