// Functions that the emitter says may be approximated (fastmath<afn>), in few
// instructions: what is stored has 16 bits.
#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <numbers>

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace math = mlir::math;

namespace {
bool mayApproximate(arith::FastMathFlags flags, Type type) {
  return arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn) &&
         mlir::getElementTypeOrSelf(type).isF32();
}

/// `number` in `type`, f32 or a vector of it.
Value constant(mlir::ImplicitLocOpBuilder &b, Type type, float number) {
  mlir::TypedAttr attr = b.getF32FloatAttr(number);
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    attr = mlir::DenseElementsAttr::get(vector, Attribute(attr));
  return LLVM::ConstantOp::create(b, type, attr);
}

/// 2 to the power of one number, by the hardware.
Value raiseOne(mlir::ImplicitLocOpBuilder &b, Value exponent) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
             exponent)
      .getResults();
}

/// The same of one number or of each of a vector.
Value raise(mlir::ImplicitLocOpBuilder &b, Value exponents) {
  auto vector = dyn_cast<mlir::VectorType>(exponents.getType());
  if (!vector)
    return raiseOne(b, exponents);
  Value powers = LLVM::PoisonOp::create(b, vector);
  for (int64_t lane = 0; lane < vector.getDimSize(0); ++lane) {
    Value place = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(lane));
    Value exponent = LLVM::ExtractElementOp::create(b, exponents, place);
    powers =
        LLVM::InsertElementOp::create(b, powers, raiseOne(b, exponent), place);
  }
  return powers;
}

/// An exponential as the hardware's power of two. Where that is below the
/// smallest normal number it is 0: libdevice's would scale operand and result,
/// two instructions of four, for the subnormal ones.
struct FastExpPattern final : mlir::ConvertOpToLLVMPattern<math::ExpOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::ExpOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Value x = adaptor.getOperand();
    Type type = x.getType();
    if (!mayApproximate(op.getFastmath(), type))
      return failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value log2e = constant(b, type, std::numbers::log2e_v<float>);
    rewriter.replaceOp(op, raise(b, LLVM::FMulOp::create(b, x, log2e)));
    return success();
  }
};

/// 1 - 2^p(|x|) with the sign of x. The polynomial is the one for which the
/// largest distance of 2^p from erfc is smallest, 1.6e-8; rounding makes it
/// 1e-7, an ulp and a half of numbers near 1. From 0 to 10 it falls, and what
/// is beyond is 0 as well. libdevice's has two polynomials and selects each of
/// their coefficients.
struct FastErfPattern final : mlir::ConvertOpToLLVMPattern<math::ErfOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::ErfOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    constexpr float coefficients[] = {
        -4.53609261e-05f, 4.45524227e-04f,  -1.48948791e-03f, -7.74565033e-04f,
        2.82536333e-02f,  -1.48481597e-01f, -9.18416396e-01f, -1.62790859e+00f};
    Value x = adaptor.getOperand();
    Type type = x.getType();
    if (!mayApproximate(op.getFastmath(), type))
      return failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value z = LLVM::FAbsOp::create(b, x);
    Value p = constant(b, type, coefficients[0]);
    for (float coefficient : ArrayRef(coefficients).drop_front())
      p = LLVM::FMAOp::create(b, p, z, constant(b, type, coefficient));
    Value complement = raise(b, LLVM::FMulOp::create(b, p, z));
    Value size = LLVM::FSubOp::create(b, constant(b, type, 1.0f), complement);
    rewriter.replaceOpWithNewOp<LLVM::CopySignOp>(op, size, x);
    return success();
  }
};
} // namespace

void mpc::target::populateApproximations(
    const mlir::LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<FastExpPattern, FastErfPattern>(converter, /*benefit=*/3);
}
