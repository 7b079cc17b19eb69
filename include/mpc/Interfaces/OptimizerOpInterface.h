// Many updates of single tensors as one update of lists of tensors.
#ifndef MPC_INTERFACES_OPTIMIZEROPINTERFACE_H
#define MPC_INTERFACES_OPTIMIZEROPINTERFACE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// What a fused update works on: element i of each list belongs to parameter i.
struct UpdateLists {
  SmallVector<Value> parameters, gradients;
  /// One list per moment that the optimizer keeps.
  SmallVector<SmallVector<Value>> moments;
  /// Scalars, or null: i1, where it is set nothing changes; what gradients are
  /// divided by; what they are then multiplied by.
  Value foundInf, scale, coefficient;
  /// The element type of 16-bit copies of the parameters, or null.
  Type copyType;
};

/// Marks optimizers that update a parameter in the backward.
template <typename ConcreteOp>
class UpdatesInBackward
    : public mlir::OpTrait::TraitBase<ConcreteOp, UpdatesInBackward> {};

/// Marks ops that a kernel of the runtime executes.
template <typename ConcreteOp>
class RuntimeKernel
    : public mlir::OpTrait::TraitBase<ConcreteOp, RuntimeKernel> {};

} // namespace mpc

#include "mpc/Interfaces/OptimizerOpInterface.h.inc"

#endif // MPC_INTERFACES_OPTIMIZEROPINTERFACE_H
