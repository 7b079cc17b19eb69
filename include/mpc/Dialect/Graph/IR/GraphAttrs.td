// Attributes of the graph dialect: initialisers and enums of ops. How to train:
// TrainingAttrs.td, which includes this file.
#ifndef MPC_DIALECT_GRAPH_IR_GRAPHATTRS_TD
#define MPC_DIALECT_GRAPH_IR_GRAPHATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"
include "mpc/Dialect/Graph/IR/RegionAttrs.td"
include "mpc/Dialect/Graph/IR/StateAttrs.td"

class Graph_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===-- Initialisers of parameters and state ------------------------------===//

def Graph_ZerosAttr : Graph_Attr<"Zeros", "zeros"> {
  let summary = "all elements zero";
}
def Graph_FillAttr : Graph_Attr<"Fill", "fill"> {
  let summary = "all elements `value`";
  let parameters = (ins "::mpc::graph::Real":$value);
  let assemblyFormat = "`<` $value `>`";
}
def Graph_NormalAttr : Graph_Attr<"Normal", "normal"> {
  let summary = "normal distribution with `mean` and `stddev`";
  let parameters = (ins "::mpc::graph::Real":$mean, "::mpc::graph::Real":$stddev);
  let assemblyFormat = "`<` $mean `,` $stddev `>`";
  let genVerifyDecl = 1;
}
def Graph_UniformAttr : Graph_Attr<"Uniform", "uniform"> {
  let summary = "uniform distribution on [`low`, `high`)";
  let parameters = (ins "::mpc::graph::Real":$low, "::mpc::graph::Real":$high);
  let assemblyFormat = "`<` $low `,` $high `>`";
  let genVerifyDecl = 1;
}

//===-- Marks of inputs ----------------------------------------------------===//

def Graph_ClassesAttr : Graph_Attr<"Classes", "classes"> {
  let summary = "labels: integers in [0, `count`), or `ignored`, which does not count";
  let parameters = (ins "int64_t":$count, OptionalParameter<"::std::optional<int64_t>">:$ignored);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===-- Enums of ops ------------------------------------------------------===//

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mpc::graph";
  let genSpecializedAttr = 0;
}
class Graph_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Graph_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Graph_GeluKind : Graph_Enum<"GeluKind", "which formula of gelu", [
  I32EnumAttrCase<"Erf", 0, "erf">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;
def Graph_GeluKindAttr : Graph_EnumAttr<Graph_GeluKind, "gelu_kind">;

def Graph_ComparePredicate : Graph_Enum<"ComparePredicate",
    "ordered comparison; `ne` is true and the others false on NaN", [
  I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
  I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
  I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]>;
def Graph_ComparePredicateAttr
    : Graph_EnumAttr<Graph_ComparePredicate, "predicate">;

def Graph_ReduceKind : Graph_Enum<"ReduceKind", "how ranks are combined", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Average", 1, "average">,
  I32EnumAttrCase<"Max", 2, "max">]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduce_kind">;

def Graph_LossReduction : Graph_Enum<"LossReduction",
    "how the losses of the samples become one number", [
  I32EnumAttrCase<"Mean", 0, "mean">, I32EnumAttrCase<"Sum", 1, "sum">]>;
def Graph_LossReductionAttr
    : Graph_EnumAttr<Graph_LossReduction, "loss_reduction">;

def Graph_GroupKind : Graph_Enum<"GroupKind", "what executes a group", [
  I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Column", 1, "column">,
  I32EnumAttrCase<"Move", 2, "move">, I32EnumAttrCase<"Library", 3, "library">]>;
def Graph_GroupKindAttr : Graph_EnumAttr<Graph_GroupKind, "group_kind">;

#endif // MPC_DIALECT_GRAPH_IR_GRAPHATTRS_TD
