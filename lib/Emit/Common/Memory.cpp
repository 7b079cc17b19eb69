#include "Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;

Type emit::getLanesType(Type element, int64_t lanes) {
  return lanes > 1 ? Type(mlir::VectorType::get({lanes}, element)) : element;
}

Value emit::flatten(mlir::ImplicitLocOpBuilder &b, Value memref) {
  auto type = cast<mlir::MemRefType>(memref.getType());
  int64_t size = type.getNumElements();
  return mlir::memref::ReinterpretCastOp::create(
      b, mlir::MemRefType::get({size}, type.getElementType()), memref,
      /*offset=*/0, ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

SmallVector<Value> emit::readAt(Memory &memory, ArrayRef<Value> memrefs,
                                Value address, const Scope &scope) {
  SmallVector<Value> values;
  for (Value memref : memrefs)
    values.push_back(memory.read(memref, address, /*stride=*/1, scope));
  return values;
}

void emit::writeAt(Memory &memory, ArrayRef<Value> memrefs, Value address,
                   ArrayRef<Value> values, const Scope &scope) {
  for (auto [memref, value] : llvm::zip_equal(memrefs, values))
    memory.write(memref, address, /*stride=*/1, value, scope);
}

Value emit::pickLanes(mlir::ImplicitLocOpBuilder &b, ArrayRef<Value> vectors,
                      ArrayRef<int64_t> from) {
  auto lanes = static_cast<int64_t>(from.size());
  // A lane of a vector that has not come is any until it does.
  SmallVector<int64_t> first(from);
  for (int64_t &lane : first)
    lane %= lanes;
  Value picked =
      mlir::vector::ShuffleOp::create(b, vectors[0], vectors[0], first);
  for (auto [number, vector] : llvm::enumerate(vectors.drop_front())) {
    SmallVector<int64_t> next;
    for (int64_t lane = 0; lane < lanes; ++lane)
      next.push_back(from[lane] / lanes == int64_t(number) + 1
                         ? lanes + from[lane] % lanes
                         : lane);
    picked = mlir::vector::ShuffleOp::create(b, picked, vector, next);
  }
  return picked;
}

Value emit::buildLaneOffsets(mlir::ImplicitLocOpBuilder &b, int64_t lanes,
                             int64_t stride, unsigned bits) {
  auto type = mlir::VectorType::get({lanes}, b.getIntegerType(bits));
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(b.getIntegerAttr(type.getElementType(), lane * stride));
  return arith::ConstantOp::create(
      b, cast<mlir::TypedAttr>(mlir::DenseElementsAttr::get(type, offsets)));
}
