// Transcendental functions as formulas, so that kernels call no library: our
// own (MathF32.cpp, MathF64.cpp, MathTrig.cpp), and MLIR's approximations of
// tanh and erf of f32. Their bounds stand in docs/Precision.md.
#include "Lowering.h"
#include "MathFormula.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {

class ScalarSign : public MathFormula {
public:
  using MathFormula::MathFormula;

  Value copySign(Value magnitude, Value sign) {
    Value positive = abs(magnitude);
    Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                             asBits(sign), bits(0));
    return select(isNegative, arith::NegFOp::create(b, positive), positive);
  }
};

/// A scalar with the sign of another, by a choice. LLVM takes the sign of what
/// was f64 from the f64, and rounds that to f16, by a call of a library, if the
/// scalar is.
struct ScalarSignPattern final : mlir::OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a scalar");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ScalarSign f(b, op.getType());
    rewriter.replaceOp(op, f.copySign(op.getLhs(), op.getRhs()));
    return success();
  }
};

} // namespace

LogicalResult mpc::target::expandMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathF64Patterns(patterns);
  populateMathF32Patterns(patterns);
  populateMathTrigPatterns(patterns);
  mlir::populateMathPolynomialApproximationPatterns(patterns);
  patterns.add<ScalarSignPattern>(module.getContext());
  return mlir::applyPatternsGreedily(module, std::move(patterns));
}
