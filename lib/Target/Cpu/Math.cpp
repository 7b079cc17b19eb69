// Transcendental functions as formulas, so that kernels call no library: our
// own (MathF32.cpp, MathF64.cpp, MathTrig.cpp), and MLIR's approximations of
// tanh and erf of f32. Their bounds stand in docs/Precision.md.
#include "Lowering.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mpc;

LogicalResult mpc::target::expandMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathF64Patterns(patterns);
  populateMathF32Patterns(patterns);
  populateMathTrigPatterns(patterns);
  mlir::populateMathPolynomialApproximationPatterns(patterns);
  return mlir::applyPatternsGreedily(module, std::move(patterns));
}
