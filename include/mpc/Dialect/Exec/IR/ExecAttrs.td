// Enums of the exec dialect. The words are those of the program file.
#ifndef MPC_DIALECT_EXEC_IR_EXECATTRS_TD
#define MPC_DIALECT_EXEC_IR_EXECATTRS_TD

include "mlir/IR/EnumAttr.td"
include "mpc/Dialect/Exec/IR/ExecDialect.td"

class Exec_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mpc::exec";
  let genSpecializedAttr = 0;
}
class Exec_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Exec_Dialect, info, mnemonic>;

def Exec_Epilogue : Exec_Enum<"Epilogue", "function applied to a matrix product", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"GeluErf", 2, "gelu_erf">, I32EnumAttrCase<"GeluTanh", 3, "gelu_tanh">,
  I32EnumAttrCase<"Tanh", 4, "tanh">, I32EnumAttrCase<"Sigmoid", 5, "sigmoid">]>;
def Exec_EpilogueAttr : Exec_EnumAttr<Exec_Epilogue, "epilogue">;

def Exec_BiasGradient : Exec_Enum<"BiasGradient", "which sums a product yields beside its result", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"OfResult", 1, "of_result">,
  I32EnumAttrCase<"OfLhs", 2, "of_lhs">, I32EnumAttrCase<"OfRhs", 3, "of_rhs">]>;
def Exec_BiasGradientAttr : Exec_EnumAttr<Exec_BiasGradient, "bias_gradient">;

def Exec_MultiTensorKind : Exec_Enum<"MultiTensorKind", "an operation on lists of tensors", [
  I32EnumAttrCase<"UnscaleL2Norm", 0, "unscale_l2norm">,
  I32EnumAttrCase<"AdamW", 1, "adamw">, I32EnumAttrCase<"Sgd", 2, "sgd">]>;
def Exec_MultiTensorKindAttr : Exec_EnumAttr<Exec_MultiTensorKind, "multi_tensor_kind">;

def Exec_Category : Exec_Enum<"Category", "what an allocated buffer holds, for the memory map", [
  I32EnumAttrCase<"Workspace", 0, "workspace">, I32EnumAttrCase<"Activation", 1, "activation">,
  I32EnumAttrCase<"Gradient", 2, "gradient">, I32EnumAttrCase<"Output", 3, "output">]>;
def Exec_CategoryAttr : Exec_EnumAttr<Exec_Category, "category">;

#endif // MPC_DIALECT_EXEC_IR_EXECATTRS_TD
