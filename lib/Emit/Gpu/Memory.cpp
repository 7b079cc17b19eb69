#include "Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

// Of addresses: no tensor has so many elements.
static constexpr auto kNoOverflow =
    arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

Value GpuMemory::toIndex(Value address, int64_t offset) {
  if (offset) {
    auto attr = b.getIntegerAttr(address.getType(), offset);
    address = arith::AddIOp::create(
        b, address, arith::ConstantOp::create(b, attr), kNoOverflow);
  }
  if (isa<mlir::IndexType>(address.getType()))
    return address;
  return arith::IndexCastUIOp::create(b, b.getIndexType(), address);
}

Value GpuMemory::readAll(Value memref, Value address, int64_t stride,
                         Type type) {
  auto vectorType = dyn_cast<mlir::VectorType>(type);
  if (!vectorType)
    return memref::LoadOp::create(b, memref, toIndex(address));
  if (stride == 1) {
    auto load = vector::LoadOp::create(b, vectorType, memref, toIndex(address));
    load.setAlignment(lanes * getElementBytes(vectorType.getElementType()));
    return load;
  }
  if (stride == 0) {
    Value one = memref::LoadOp::create(b, memref, toIndex(address));
    return vector::BroadcastOp::create(b, vectorType, one);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane)
    elements.push_back(
        memref::LoadOp::create(b, memref, toIndex(address, lane * stride)));
  return vector::FromElementsOp::create(b, vectorType, elements);
}

Value GpuMemory::read(Value memref, Value address, int64_t stride,
                      const Scope &scope) {
  Type element = cast<mlir::MemRefType>(memref.getType()).getElementType();
  Type type = getLanesType(element, scope.isVector ? lanes : 1);
  return guard(type, scope,
               [&] { return readAll(memref, address, stride, type); });
}

Value GpuMemory::readEach(Value memref, Value address, Value offsets,
                          const Scope &scope) {
  Type element = cast<mlir::MemRefType>(memref.getType()).getElementType();
  Type type = getLanesType(element, lanes);
  return guard(type, scope, [&]() -> Value {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value offset = vector::ExtractOp::create(b, offsets, lane);
      Value place = arith::AddIOp::create(b, address, offset, kNoOverflow);
      elements.push_back(memref::LoadOp::create(b, memref, toIndex(place)));
    }
    return vector::FromElementsOp::create(b, type, elements);
  });
}

Value GpuMemory::guard(Type type, const Scope &scope,
                       function_ref<Value()> build) {
  if (!scope.predicate)
    return build();
  auto guarded =
      scf::IfOp::create(b, type, scope.predicate, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(b, build());
  b.setInsertionPointToStart(guarded.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  scf::YieldOp::create(b, zero);
  return guarded.getResult(0);
}

void GpuMemory::writeAll(Value memref, Value address, int64_t stride,
                         Value value) {
  auto type = dyn_cast<mlir::VectorType>(value.getType());
  if (!type) {
    memref::StoreOp::create(b, value, memref, toIndex(address));
    return;
  }
  if (stride == 1) {
    vector::StoreOp::create(b, value, memref, toIndex(address))
        .setAlignment(lanes * getElementBytes(type.getElementType()));
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value element = vector::ExtractOp::create(b, value, lane);
    memref::StoreOp::create(b, element, memref,
                            toIndex(address, lane * stride));
  }
}

void GpuMemory::write(Value memref, Value address, int64_t stride, Value value,
                      const Scope &scope) {
  Value condition = scope.writer ? scope.writer : scope.predicate;
  if (!condition)
    return writeAll(memref, address, stride, value);
  auto guarded = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(guarded.thenYield());
  writeAll(memref, address, stride, value);
}
