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

def Exec_PlaceMode : Exec_Enum<"PlaceMode", "which part of a buffer a step of a loop takes", [
  I32EnumAttrCase<"Whole", 0, "whole">, I32EnumAttrCase<"Slice", 1, "slice">,
  I32EnumAttrCase<"Turn", 2, "turn">]>;

def Exec_PlaceAttr : AttrDef<Exec_Dialect, "Place"> {
  let mnemonic = "place";
  let summary = "where an argument of the body of a loop lies, in each step";
  let description = [{
    `buffer` is the number of an operand of the loop, inputs first. `whole` is all
    of it; `slice` that of its first dim which has the number of the step plus
    `shift`; `turn` one of its two slices, the other one in each next step, `shift`
    steps later. Where that is no slice of the buffer, or where no step has come
    before or will come, `edge` is the number of the operand that stands there.
  }];
  let parameters = (ins "int64_t":$buffer,
    DefaultValuedParameter<"::mpc::exec::PlaceMode", "::mpc::exec::PlaceMode::Whole">:$mode,
    DefaultValuedParameter<"int64_t", "0">:$shift, DefaultValuedParameter<"int64_t", "-1">:$edge);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Exec_PlacesAttr : TypedArrayAttrBase<Exec_PlaceAttr, "places of the arguments of a loop">;

#endif // MPC_DIALECT_EXEC_IR_EXECATTRS_TD
