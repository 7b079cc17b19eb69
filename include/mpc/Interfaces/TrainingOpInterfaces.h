// "What do you draw your numbers from?" Of ops like dropout. "What do you keep
// of the batches that you see?" Of ops like batch_norm. "Do gradients end at
// you?" Of stop_gradient.
#ifndef MPC_INTERFACES_TRAININGOPINTERFACES_H
#define MPC_INTERFACES_TRAININGOPINTERFACES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::detail {
/// A key is two numbers, and stands beside a stream.
LogicalResult verifyRandomOp(Operation *op);
} // namespace mpc::detail

namespace mpc::OpTrait {

/// The result is the operand, and the operand gets no gradient of it.
/// Differentiation asks for this, and puts the operand in the op's place: no
/// later stage has it.
template <typename ConcreteOp>
struct StopsGradient : mlir::OpTrait::TraitBase<ConcreteOp, StopsGradient> {
  static LogicalResult verifyTrait(Operation *) {
    static_assert(
        ConcreteOp::template hasTrait<mlir::OpTrait::OneOperand>() &&
            ConcreteOp::template hasTrait<mlir::OpTrait::OneResult>() &&
            ConcreteOp::template hasTrait<
                mlir::OpTrait::SameOperandsAndResultType>(),
        "what stops a gradient is replaced by its operand");
    return mlir::success();
  }
};

} // namespace mpc::OpTrait

#include "mpc/Interfaces/TrainingOpInterfaces.h.inc"

#endif // MPC_INTERFACES_TRAININGOPINTERFACES_H
