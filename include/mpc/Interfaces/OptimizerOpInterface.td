// How passes ask an optimizer what it updates, without naming optimizers.
#ifndef MPC_INTERFACES_OPTIMIZEROPINTERFACE_TD
#define MPC_INTERFACES_OPTIMIZEROPINTERFACE_TD

include "mlir/IR/OpBase.td"

def OptimizerOpInterface : OpInterface<"OptimizerOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op computes the next value of one parameter, its result 0, and of the
    moments it keeps for it, results 1 and on, from a gradient; all have the
    type of the parameter. Many such ops with equal attributes and equal shared
    operands can become one op on lists of tensors.

    `graph.adamw` fits: two moments, shared are lr and step.
  }];
  let methods = [
    InterfaceMethod<"The value that is updated.",
      "::mlir::Value", "getParameter", (ins), [{ return $_op.getParameter(); }]>,
    InterfaceMethod<"What it is updated by.",
      "::mlir::Value", "getGradient", (ins), [{ return $_op.getGradient(); }]>,
    InterfaceMethod<"The old values of results 1 and on.",
      "::llvm::SmallVector<::mlir::Value>", "getMoments">,
    InterfaceMethod<"Operands that all updates of a step have in common.",
      "::llvm::SmallVector<::mlir::Value>", "getShared">,
    InterfaceMethod<[{
      Builds the op that makes this update, with these attributes and shared
      operands, of all tensors in `lists`. Its results are the next parameters,
      for each moment the next moments, then the copies if any.
    }], "::mlir::ValueRange", "buildFused",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "const ::mpc::UpdateLists &":$lists)>
  ];
}

/// Optimizer word of an op record.
def IsOptimizer : TraitList<[DeclareOpInterfaceMethods<OptimizerOpInterface>]>;

/// The op is done by a kernel of the runtime on lists of tensors: it stands
/// outside groups and becomes one step.
def RuntimeKernel : NativeOpTrait<"RuntimeKernel"> { let cppNamespace = "::mpc"; }

#endif // MPC_INTERFACES_OPTIMIZEROPINTERFACE_TD
