// Writes formulas on floats, scalars or vectors of one shape, as ops.
#ifndef MPC_LIB_TARGET_CPU_MATHFORMULA_H
#define MPC_LIB_TARGET_CPU_MATHFORMULA_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::target {

class MathFormula {
public:
  MathFormula(mlir::ImplicitLocOpBuilder &b, Type type)
      : b(b), type(type),
        element(cast<FloatType>(mlir::getElementTypeOrSelf(type))) {}

protected:
  using Predicate = mlir::arith::CmpFPredicate;

  Value number(double value) { return splat(b.getFloatAttr(element, value)); }
  /// An integer as wide as the floats.
  Value bits(int64_t value) {
    return splat(b.getIntegerAttr(bitsType(), value));
  }

  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return mlir::math::FmaOp::create(b, x, y, z);
  }
  Value is(Predicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value withSign(Value magnitude, Value sign) {
    return mlir::math::CopySignOp::create(b, magnitude, sign);
  }

  /// coefficients[0] + x (coefficients[1] + x (...)).
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  Type bitsType() { return b.getIntegerType(element.getWidth()); }
  Type shaped(Type scalar) {
    if (auto vector = dyn_cast<mlir::VectorType>(type))
      return vector.clone(scalar);
    return scalar;
  }
  Value asBits(Value x) {
    return mlir::arith::BitcastOp::create(b, shaped(bitsType()), x);
  }
  Value asNumber(Value x) { return mlir::arith::BitcastOp::create(b, type, x); }

  mlir::ImplicitLocOpBuilder &b;
  Type type;

private:
  Value splat(mlir::TypedAttr attr) {
    if (auto vector = dyn_cast<mlir::VectorType>(shaped(attr.getType())))
      attr = mlir::DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
    return mlir::arith::ConstantOp::create(b, attr);
  }

  FloatType element;
};

/// Replaces `MathOp` of floats of `width` bits by a formula of one operand.
template <typename Formula, unsigned width, typename MathOp,
          Value (Formula::*formula)(Value)>
struct UnaryMathPattern final : mlir::OpRewritePattern<MathOp> {
  using mlir::OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    Type type = mlir::getElementTypeOrSelf(op.getType());
    if (type.getIntOrFloatBitWidth() != width)
      return rewriter.notifyMatchFailure(op, "other floats");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Formula f(b, op.getType());
    rewriter.replaceOp(op, (f.*formula)(op.getOperand()));
    return success();
  }
};

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CPU_MATHFORMULA_H
