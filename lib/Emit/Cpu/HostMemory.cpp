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
  if (stride > 1 && stride <= few && (!scope.mask || scope.liveLanes > 0))
    return readApart(memref, address, stride,
                     scope.mask ? scope.liveLanes : lanes);
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

/// The first `count` lanes, `stride` apart, and what lies between them, by
/// vectors: none reaches behind the last element.
Value HostMemory::readApart(Value memref, Value address, int64_t stride,
                            int64_t count) {
  auto type = mlir::VectorType::get({lanes}, getElementTypeOrSelf(memref));
  int64_t length = (count - 1) * stride + 1;
  SmallVector<Value> vectors;
  SmallVector<int64_t> begins;
  for (int64_t first = 0; first < length; first += lanes) {
    // The last one ends where the elements do, if there are so many.
    int64_t begin = std::min(first, std::max<int64_t>(length - lanes, 0));
    begins.push_back(begin);
    Value place = arith::AddIOp::create(
        b, address, arith::ConstantIndexOp::create(b, begin));
    if (length >= lanes) {
      vectors.push_back(vector::LoadOp::create(b, type, memref, place));
      continue;
    }
    Value mask = vector::ConstantMaskOp::create(
        b, mlir::VectorType::get({lanes}, b.getI1Type()), {length});
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    vectors.push_back(
        vector::MaskedLoadOp::create(b, type, memref, place, mask, zero));
  }
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t element = std::min(lane, count - 1) * stride;
    int64_t number = element / lanes;
    from.push_back(number * lanes + element - begins[number]);
  }
  return pickLanes(b, vectors, from);
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
