// The gradient words of an op record, and the interface behind them.
#ifndef MPC_INTERFACES_DIFFERENTIABLEOPINTERFACE_TD
#define MPC_INTERFACES_DIFFERENTIABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    Builds the vector-Jacobian product of an op, from ops of the same dialect.

    `graph.tanh` fits: cotangent * (1 - y * y), asking only for its result.
    `graph.compare` does not: it is piecewise constant and says NoGradient.
  }];
  let methods = [
    InterfaceMethod<[{
      Sets the cotangent of every operand that `gradient.needs`. An operand
      left unset has no gradient. Fails only after emitting a diagnostic.
    }], "::llvm::LogicalResult", "buildVjp",
      (ins "::mpc::GradientBuilder &":$gradient)>
  ];
}

/// Required word 3 of every op: HasVjp, NoGradient or StopsGradient.
class Gradient<list<Trait> traits> : TraitList<traits>;

/// The op has `buildVjp`; a missing body is a link error that names the op.
def HasVjp : Gradient<[DeclareOpInterfaceMethods<DifferentiableOpInterface>]>;
def NoGradientTrait : NativeOpTrait<"NoGradient"> {
  let cppNamespace = "::mpc::OpTrait";
}
def NoGradient : Gradient<[NoGradientTrait]>;

/// The op is its operand, which gets no gradient (mpc/Interfaces/TrainingOpInterfaces.h).
def StopsGradientTrait : NativeOpTrait<"StopsGradient"> {
  let cppNamespace = "::mpc::OpTrait";
}
def StopsGradient : Gradient<[StopsGradientTrait]>;

#endif // MPC_INTERFACES_DIFFERENTIABLEOPINTERFACE_TD
