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

    The static getters answer for the record. An op may carry words of its own
    (`graph.custom`): passes ask the methods with `Own` in their name.
  }];
  let methods = [
    StaticInterfaceMethod<"The op's own policy, before overrides.",
      "::mpc::AutocastPolicy", "getAutocastPolicy">,
    StaticInterfaceMethod<
      "The op's place in `lists`: PyTorch's for a device, or Apex's.",
      "::mpc::TorchPolicy", "getTorchPolicy",
      (ins "::mpc::TorchLists":$lists)>,
    StaticInterfaceMethod<"The op's place in TensorFlow's `lists`.",
      "::mpc::TensorFlowPolicy", "getTensorFlowPolicy",
      (ins "::mpc::TensorFlowLists":$lists)>,
    StaticInterfaceMethod<[{
      Whether the op normalizes features with scale and bias of its own: what a
      model cast leaves in f32 when it keeps normalization wide (the
      keep_batchnorm_fp32 of Apex O2). By default it does not.
    }], "bool", "isNormalization", (ins), "", "return false;">,
    InterfaceMethod<[{
      Whether autocast may change the type of operand `index`. By default: its
      element type is a float type other than f64.
    }], "bool", "isRetypeable", (ins "unsigned":$index), "", [{
      auto type = ::mlir::getElementTypeOrSelf($_op->getOperand(index));
      return ::mlir::isa<::mlir::FloatType>(type) && !type.isF64();
    }]>,
    InterfaceMethod<"The policy of this op: its own word, or its record's.",
      "::mpc::AutocastPolicy", "getOwnPolicy", (ins), "",
      "return ConcreteOp::getAutocastPolicy();">,
    InterfaceMethod<"The place of this op in `lists`.",
      "::mpc::TorchPolicy", "getOwnTorchPolicy",
      (ins "::mpc::TorchLists":$lists), "",
      "return ConcreteOp::getTorchPolicy(lists);">,
    InterfaceMethod<"The place of this op in TensorFlow's `lists`.",
      "::mpc::TensorFlowPolicy", "getOwnTensorFlowPolicy",
      (ins "::mpc::TensorFlowLists":$lists), "",
      "return ConcreteOp::getTensorFlowPolicy(lists);">,
    InterfaceMethod<[{
      The type to which a region that is on casts the op's float operands,
      whatever its policy (`cast_inputs` of torch.amp.custom_fwd); null: the
      policy decides.
    }], "::mlir::FloatType", "getForcedType", (ins), "", "return {};">,
    InterfaceMethod<[{
      Whether float operands may have different types. If not, a rule for one
      operand is a rule for the op.
    }], "bool", "takesMixedTypes", (ins), "", "return false;">,
    InterfaceMethod<[{
      Whether the result grows without bound as operand `index` goes to zero:
      a division by it, a logarithm of it.
    }], "bool", "isSingularAtZero", (ins "unsigned":$index), "",
      "return false;">,
    InterfaceMethod<[{
      The numbers in the op's attributes that are rounded to the element type of
      its result: what a type cannot hold of them is lost as of a constant
      operand. By default none: numbers that a wider computation reads are not
      rounded.
    }], "::llvm::SmallVector<::llvm::APFloat>", "getRoundedNumbers", (ins), "",
      "return {};">
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
def Banned           : TorchWord<"Banned">;
def Fallthrough      : TorchWord<"Fallthrough">;

class TensorFlowWord<string kind> { string name = kind; }
def TfAllow    : TensorFlowWord<"Allow">;
def TfInfer    : TensorFlowWord<"Infer">;
def TfDeny     : TensorFlowWord<"Deny">;
def TfClear    : TensorFlowWord<"Clear">;
def TfUnlisted : TensorFlowWord<"Unlisted">;

/// Required word 2 of every op: its places in the lists of PyTorch on CUDA and
/// on CPU, of Apex O1, and of TensorFlow for fp16 and for bf16. An op that a
/// system builds from several has the place of the strictest of them.
class AutocastLists<TorchWord cuda, TorchWord cpu, TorchWord apex,
                    TensorFlowWord fp16, TensorFlowWord bf16>
    : ParamNativeOpTrait<"HasAutocastLists", !interleave([
        "::mpc::TorchPolicy::" # cuda.name, "::mpc::TorchPolicy::" # cpu.name,
        "::mpc::TorchPolicy::" # apex.name,
        "::mpc::TensorFlowPolicy::" # fp16.name,
        "::mpc::TensorFlowPolicy::" # bf16.name], ", ")> {
  let cppNamespace = "::mpc::OpTrait";
}
def Unlisted : AutocastLists<Fallthrough, Fallthrough, Fallthrough,
                             TfUnlisted, TfUnlisted>;
/// Not in the lists of PyTorch or Apex; `place` in both of TensorFlow.
class OnlyTensorFlow<TensorFlowWord place>
    : AutocastLists<Fallthrough, Fallthrough, Fallthrough, place, place>;
/// Native promotion in PyTorch, Apex's widest; `place` in both of TensorFlow.
class WidestInApex<TensorFlowWord place>
    : AutocastLists<Fallthrough, Fallthrough, TorchPromote, place, place>;

#endif // MPC_INTERFACES_AUTOCASTOPINTERFACE_TD
