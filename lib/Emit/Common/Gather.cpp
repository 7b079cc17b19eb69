// Elements of an operand that lie where a value of the body says.
#include "Constants.h"
#include "PointEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;

namespace {
/// What an index from outside selects: NaN, the smallest integer, or false.
mlir::TypedAttr getFill(mlir::ImplicitLocOpBuilder &b, Type storage) {
  if (auto type = dyn_cast<FloatType>(storage))
    return b.getFloatAttr(type,
                          llvm::APFloat::getNaN(type.getFloatSemantics()));
  unsigned bits = storage.getIntOrFloatBitWidth();
  return b.getIntegerAttr(storage, bits == 8
                                       ? llvm::APInt::getZero(bits)
                                       : llvm::APInt::getSignedMinValue(bits));
}
} // namespace

/// Reads at `address`, and as many strides further as the index says. An index
/// from outside reads the element of index 0, and is given another value.
Value PointEvaluator::readGathered(Value memref, const graph::Access &access,
                                   Value address, Scope &home) {
  Value index = getUnspread(access.index, home);
  Type type = index.getType();
  Value inside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                            buildConstant(b, type, access.numIndexed));
  Value safe = castIndex(
      arith::SelectOp::create(b, inside, index, buildConstant(b, type, 0)),
      options.indexType);
  Value further = arith::MulIOp::create(
      b, safe, buildConstant(b, safe.getType(), access.indexStride),
      options.overflow);
  int64_t stride = home.isVector ? access.strides[shape.axis] : 0;
  Value stored;
  if (isa<mlir::VectorType>(type))
    stored = memory.readEach(memref, address, addLanes(further, stride), home);
  else
    stored = memory.read(
        memref, arith::AddIOp::create(b, address, further, options.overflow),
        stride, home);
  return arith::SelectOp::create(
      b, inside, stored,
      buildConstant(b, stored.getType(),
                    getFill(b, getElementTypeOrSelf(stored))));
}

/// 0, `stride`, 2 * `stride`, ... more for each lane.
Value PointEvaluator::addLanes(Value numbers, int64_t stride) {
  if (stride == 0)
    return numbers;
  return arith::AddIOp::create(
      b, numbers, buildLanes(b, numbers.getType(), stride), options.overflow);
}
