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
      Whether there is an op that makes this update, with these attributes, of
      lists of tensors: whether `buildFused` may be called.
    }], "bool", "hasListForm", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Builds the op that makes this update, with these attributes and shared
      operands, of all tensors in `lists`. Its results are the next parameters,
      for each moment the next moments, then the copies if any.
    }], "::mlir::ValueRange", "buildFused",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "const ::mpc::UpdateLists &":$lists), [{}],
      [{ llvm_unreachable("the update has no form on lists of tensors"); }]>
  ];
}

/// Optimizer words of an op record: each has the first.
def IsOptimizer : TraitList<[DeclareOpInterfaceMethods<OptimizerOpInterface>]>;
/// The second, if there is an op for lists of tensors. It takes the place of
/// the first.
def IsListOptimizer : TraitList<[
  DeclareOpInterfaceMethods<OptimizerOpInterface, ["hasListForm", "buildFused"]>]>;
/// A parameter is updated as soon as its gradient is final, and no gradient is
/// kept: the step can do nothing that needs all gradients first.
def UpdatesInBackward : NativeOpTrait<"UpdatesInBackward"> { let cppNamespace = "::mpc"; }

/// The op is done by a kernel of the runtime on lists of tensors: it stands
/// outside groups and becomes one step.
def RuntimeKernel : NativeOpTrait<"RuntimeKernel"> { let cppNamespace = "::mpc"; }

#endif // MPC_INTERFACES_OPTIMIZEROPINTERFACE_TD
