// The autocast words of an op record, and the interface that reads them.
#ifndef MPC_INTERFACES_AUTOCASTOPINTERFACE_TD
#define MPC_INTERFACES_AUTOCASTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def AutocastOpInterface : OpInterface<"AutocastOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    States at which precision an op may run.

    *Policy* is a fact of the op: one of Allow, Deny, DenyIO, Promote, Infer,
    Clear (see `AutocastPolicy`). *Retypeable operands* are the float operands
    that autocast may cast; the others (f64, integers, masks, operands of an
    op that names its own types) are left alone. After its operands changed,
    the op's result types are inferred again.

    `graph.matmul` fits: Allow, both operands retypeable. `graph.cast` shows
    the other end: Clear, and nothing retypeable, because its result type was
    written by somebody.
  }];
  let methods = [
    StaticInterfaceMethod<"The op's own policy, before overrides.",
      "::mpc::AutocastPolicy", "getAutocastPolicy">,
    StaticInterfaceMethod<"The op's place in PyTorch's list for `device`.",
      "::mpc::TorchPolicy", "getTorchPolicy",
      (ins "::mpc::TorchDevice":$device)>,
    InterfaceMethod<[{
      Whether autocast may change the type of operand `index`. By default: its
      element type is a float type other than f64.
    }], "bool", "isRetypeable", (ins "unsigned":$index), "", [{
      auto type = ::mlir::getElementTypeOrSelf($_op->getOperand(index));
      return ::mlir::isa<::mlir::FloatType>(type) && !type.isF64();
    }]>
  ];
}

class HasAutocastPolicy<string kind>
    : ParamNativeOpTrait<"HasAutocastPolicy", "::mpc::AutocastPolicy::" # kind> {
  let cppNamespace = "::mpc::OpTrait";
}

/// Required word 1 of every op: our policy.
class Autocast<string kind>
    : TraitList<[HasAutocastPolicy<kind>, AutocastOpInterface]>;

def Allow   : Autocast<"Allow">;
def Deny    : Autocast<"Deny">;
def DenyIO  : Autocast<"DenyIO">;
def Promote : Autocast<"Promote">;
def Infer   : Autocast<"Infer">;
def Clear   : Autocast<"Clear">;

class TorchWord<string kind> { string name = kind; }
def LowerPrecisionFp : TorchWord<"LowerPrecisionFp">;
def Fp32             : TorchWord<"Fp32">;
def Fp32SetOptDtype  : TorchWord<"Fp32SetOptDtype">;
def Fp32AppendDtype  : TorchWord<"Fp32AppendDtype">;
def TorchPromote     : TorchWord<"Promote">;
def Fallthrough      : TorchWord<"Fallthrough">;

/// Required word 2 of every op: its places in PyTorch's CUDA and CPU lists.
class TorchAutocast<TorchWord cuda, TorchWord cpu>
    : ParamNativeOpTrait<"HasTorchPolicy",
        "::mpc::TorchPolicy::" # cuda.name # ", ::mpc::TorchPolicy::" # cpu.name> {
  let cppNamespace = "::mpc::OpTrait";
}
def Unlisted : TorchAutocast<Fallthrough, Fallthrough>;

#endif // MPC_INTERFACES_AUTOCASTOPINTERFACE_TD
