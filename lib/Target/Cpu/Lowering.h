// The steps from kernel functions to LLVM dialect, in order. Private to the
// CPU target.
#ifndef MPC_LIB_TARGET_CPU_LOWERING_H
#define MPC_LIB_TARGET_CPU_LOWERING_H

#include "KernelSets.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::target {

/// How vectors of 16 are rounded to bf16.
enum class BFloatRounding {
  ByIntegers,
  ByCalls ///< Of a function that `inlineRounding` chooses for the processor.
};

/// Replaces f16 and bf16 by i16 and i1 in memory by i8 everywhere but next to
/// the conversions, so that LLVM never legalises a 16-bit float vector: on
/// CPUs without AVX512-BF16 it would call a library once per element. bf16
/// rounding becomes integer arithmetic (nearest even; of NaN all bits are set;
/// no flushing of subnormals), the same on every CPU; of vectors of 16 lanes
/// and one dim as `rounding` says, with the same bits.
LogicalResult expandStorageTypes(ModuleOp module, BFloatRounding rounding);

/// Whether `kernel` has vectors that such calls round.
bool roundsVectorsToBFloat(Operation *kernel);

/// Replaces transcendental math ops by formulas with the bounds in
/// docs/Precision.md.
LogicalResult expandMath(ModuleOp module);

/// Patterns of expandMath: exp and log of f32; exp, log, tanh, erf of f64 and
/// pow of both.
void populateMathTrigPatterns(RewritePatternSet &patterns);
void populateMathF32Patterns(RewritePatternSet &patterns);
void populateMathF64Patterns(RewritePatternSet &patterns);

/// Lowers everything to the LLVM dialect and gives each function with a body
/// its wrapper with the kernel ABI. Made once for many modules of a context:
/// the patterns of its passes take as long as a kernel's lowering.
class LoweringToLLVM {
public:
  explicit LoweringToLLVM(mlir::MLIRContext *context);
  LogicalResult run(ModuleOp module);
  /// The same of `set.buildCode()`, with one wrapper for each kernel.
  LogicalResult run(ModuleOp module, const KernelSet &set);

private:
  mlir::PassManager passes;
};
LogicalResult lowerToLLVM(ModuleOp module);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CPU_LOWERING_H
