// Numbers of kernels: scalars where their type is one, vectors of them where it
// is a vector.
#ifndef MPC_EMIT_COMMON_CONSTANTS_H
#define MPC_EMIT_COMMON_CONSTANTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::emit {

/// `number` as a constant of `type`, or as a vector of it.
inline Value buildConstant(mlir::ImplicitLocOpBuilder &b, Type type,
                           mlir::TypedAttr number) {
  if (auto lanes = dyn_cast<mlir::VectorType>(type))
    number = mlir::DenseElementsAttr::get(lanes, Attribute(number));
  return mlir::arith::ConstantOp::create(b, number);
}

inline Value buildConstant(mlir::ImplicitLocOpBuilder &b, Type type,
                           int64_t number) {
  return buildConstant(
      b, type, b.getIntegerAttr(mlir::getElementTypeOrSelf(type), number));
}

/// 0, `step`, 2 * `step`, ... as a constant of `type`, a vector of integers.
inline Value buildLanes(mlir::ImplicitLocOpBuilder &b, Type type,
                        int64_t step) {
  auto vector = cast<mlir::VectorType>(type);
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane)
    numbers.push_back(b.getIntegerAttr(vector.getElementType(), lane * step));
  return mlir::arith::ConstantOp::create(
      b, mlir::DenseElementsAttr::get(vector, numbers));
}

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_CONSTANTS_H
