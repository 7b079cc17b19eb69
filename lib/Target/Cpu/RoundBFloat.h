// Rounding f32 to bf16, by integers and by AVX512-BF16, with the same bits.
// Kernels are lowered and optimised once for all instruction sets: a vector of
// 16 lanes is rounded by a call, and whoever writes an object says of which
// function.
// Private to the CPU target.
#ifndef MPC_LIB_TARGET_CPU_ROUNDBFLOAT_H
#define MPC_LIB_TARGET_CPU_ROUNDBFLOAT_H

#include "mpc/Interfaces/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace llvm {
class Module;
}

namespace mpc::target {

/// Marks a conversion of narrow floats that an instruction does.
inline constexpr llvm::StringLiteral kInHardware = "mpc.in_hardware";

template <typename ConversionOp> Value inHardware(ConversionOp op) {
  op->setAttr(kInHardware, mlir::UnitAttr::get(op.getContext()));
  return op;
}

/// `shape` (a vector or scalar type) with another element type.
inline Type withElement(Type shape, Type element) {
  if (auto vector = dyn_cast<mlir::VectorType>(shape))
    return vector.clone(element);
  return element;
}

/// Integer constants shaped like `like`.
struct ShapedConstants {
  mlir::ImplicitLocOpBuilder &builder;

  Value integer(Type like, unsigned bits, int64_t value) const;
};

/// Whether `type` is a vector that AVX512-BF16 rounds at once, if it has f32.
bool hasSixteenLanes(Type type);

/// Of a scalar or vector of f32 the bits of the nearest bf16, even on a tie.
/// Of NaN all bits are set: that is one instruction less than to keep its own.
Value roundByIntegers(mlir::ImplicitLocOpBuilder &b, Value value);

/// The same of 16 lanes, by a function that `inlineRounding` chooses.
Value callRounding(mlir::ImplicitLocOpBuilder &b, Value value);

/// Gives `module` the functions to choose from, if it has calls.
void defineRoundings(ModuleOp module);

/// Whether `function` is one of those.
bool isRounding(StringRef function);

/// Says of what the calls of `module` call that it does nothing but compute.
void declareRounding(llvm::Module &module);

/// Puts the instruction, which the processor must have, or integers in place of
/// the calls of `module`.
void inlineRounding(llvm::Module &module, bool takesInstruction);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CPU_ROUNDBFLOAT_H
