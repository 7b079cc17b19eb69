// "Build my vector-Jacobian product." See GradientBuilder.h for the language
// of rules.
#ifndef MPC_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
#define MPC_INTERFACES_DIFFERENTIABLEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/GradientBuilder.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::OpTrait {
/// The op has no derivative, and says so: gradients stop here (comparisons,
/// index producers), or it only appears after differentiation (optimizers).
template <typename ConcreteOp>
struct NoGradient : mlir::OpTrait::TraitBase<ConcreteOp, NoGradient> {};
} // namespace mpc::OpTrait

#include "mpc/Interfaces/DifferentiableOpInterface.h.inc"

#endif // MPC_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
