// Attributes of the exec dialect.
#ifndef MPC_DIALECT_EXEC_IR_EXECATTRS_TD
#define MPC_DIALECT_EXEC_IR_EXECATTRS_TD

include "mpc/Dialect/Exec/IR/ExecCalls.td"
include "mpc/Dialect/Exec/IR/ExecEnums.td"

def Exec_MultiTensorKind : Exec_Enum<"MultiTensorKind", "an operation on lists of tensors", [
  I32EnumAttrCase<"UnscaleL2Norm", 0, "unscale_l2norm">,
  I32EnumAttrCase<"AdamW", 1, "adamw">, I32EnumAttrCase<"Sgd", 2, "sgd">]>;
def Exec_MultiTensorKindAttr : Exec_EnumAttr<Exec_MultiTensorKind, "multi_tensor_kind">;

def Exec_Category : Exec_Enum<"Category", "what an allocated buffer holds, for the memory map", [
  I32EnumAttrCase<"Workspace", 0, "workspace">, I32EnumAttrCase<"Activation", 1, "activation">,
  I32EnumAttrCase<"Gradient", 2, "gradient">, I32EnumAttrCase<"Output", 3, "output">]>;
def Exec_CategoryAttr : Exec_EnumAttr<Exec_Category, "category">;

#endif // MPC_DIALECT_EXEC_IR_EXECATTRS_TD
