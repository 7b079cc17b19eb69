#include "HostMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

Value HostMemory::getMask(const Scope &scope) {
  if (scope.mask)
    return scope.mask;
  auto type = mlir::VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(
      b, cast<mlir::TypedAttr>(mlir::DenseElementsAttr::get(type, true)));
}

Value HostMemory::read(Value memref, Value address, int64_t stride,
                       const Scope &scope) {
  Type wanted =
      getLanesType(getElementTypeOrSelf(memref), scope.isVector ? lanes : 1);
  auto type = dyn_cast<mlir::VectorType>(wanted);
  if (!type)
    return memref::LoadOp::create(b, memref, address);
  if (stride == 1 && !scope.mask)
    return vector::LoadOp::create(b, type, memref, address);
  if (stride == 1) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, type, memref, address, scope.mask,
                                        zero);
  }
  // A gather takes its time however few lanes it has.
  constexpr int64_t few = 4;
  if (scope.liveLanes > 0 && scope.liveLanes <= few)
    return readOneByOne(memref, address, stride, scope.liveLanes);
  return readEach(memref, address, buildLaneOffsets(b, lanes, stride, 64),
                  scope);
}

Value HostMemory::readOneByOne(Value memref, Value address, int64_t stride,
                               int64_t count) {
  auto type = mlir::VectorType::get({lanes}, getElementTypeOrSelf(memref));
  Value all = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < count; ++lane) {
    Value offset = arith::ConstantIndexOp::create(b, lane * stride);
    Value place = arith::AddIOp::create(b, address, offset);
    all = vector::InsertOp::create(
        b, memref::LoadOp::create(b, memref, place).getResult(), all, lane);
  }
  return all;
}

Value HostMemory::readEach(Value memref, Value address, Value offsets,
                           const Scope &scope) {
  auto type = mlir::VectorType::get({lanes}, getElementTypeOrSelf(memref));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::GatherOp::create(b, type, memref, address, offsets,
                                  getMask(scope), zero);
}

void HostMemory::write(Value memref, Value address, int64_t stride, Value value,
                       const Scope &scope) {
  // One lane as a scalar: LLVM 22 turns a masked store of one truncated element
  // into a store of the wide one (x86, AVX-512), which overwrites its
  // neighbour.
  if (isa<mlir::VectorType>(value.getType()) && scope.liveLanes == 1)
    value = vector::ExtractOp::create(b, value, int64_t(0));
  if (!isa<mlir::VectorType>(value.getType()))
    memref::StoreOp::create(b, value, memref, address);
  else if (stride == 1 && !scope.mask)
    vector::StoreOp::create(b, value, memref, address);
  else if (stride == 1)
    vector::MaskedStoreOp::create(b, memref, address, scope.mask, value);
  else
    vector::ScatterOp::create(b, /*result=*/Type(), memref, ValueRange(address),
                              buildLaneOffsets(b, lanes, stride, 64),
                              getMask(scope), value,
                              /*alignment=*/mlir::IntegerAttr());
}
