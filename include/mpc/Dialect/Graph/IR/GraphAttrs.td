// Attributes of the graph dialect: initialisers, how to train, why a cast is
// there.
#ifndef MPC_DIALECT_GRAPH_IR_GRAPHATTRS_TD
#define MPC_DIALECT_GRAPH_IR_GRAPHATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"
include "mpc/Dialect/Graph/IR/RegionAttrs.td"

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

//===-- How to train ------------------------------------------------------===//

def Graph_LossScaleAttr : Graph_Attr<"LossScale", "loss_scale"> {
  let summary = "loss scaling: `none`, `static` or `dynamic`, and its constants";
  let description = [{
    Dynamic scaling is PyTorch's GradScaler (torch/amp/grad_scaler.py):
    multiply by `backoff` when a gradient is not finite; multiply by `growth`
    after `interval` consecutive finite steps, unless that would overflow.
  }];
  let parameters = (ins
    StringRefParameter<"none, static or dynamic">:$mode,
    DefaultValuedParameter<"::mpc::graph::Real", "65536.0">:$init,
    DefaultValuedParameter<"::mpc::graph::Real", "2.0">:$growth,
    DefaultValuedParameter<"::mpc::graph::Real", "0.5">:$backoff,
    DefaultValuedParameter<"int64_t", "2000">:$interval);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Graph_OptimizerAttr : Graph_Attr<"Optimizer", "optimizer"> {
  let summary = "the optimizer: `sgd` or `adamw`, and its hyperparameters";
  let parameters = (ins
    StringRefParameter<"sgd or adamw">:$name,
    "::mpc::graph::Real":$lr,
    DefaultValuedParameter<"::mpc::graph::Real", "0.0">:$weight_decay,
    DefaultValuedParameter<"::mpc::graph::Real", "0.0">:$momentum,
    DefaultValuedParameter<"bool", "false">:$nesterov,
    DefaultValuedParameter<"::mpc::graph::Real", "0.9">:$beta1,
    DefaultValuedParameter<"::mpc::graph::Real", "0.999">:$beta2,
    DefaultValuedParameter<"::mpc::graph::Real", "1e-8">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Graph_TrainingAttr : Graph_Attr<"Training", "training"> {
  let summary = "how a model is trained; command-line options override it";
  let description = [{
    ```mlir
    #graph.training<precision = "fp16",
                    loss_scale = #graph.loss_scale<mode = "dynamic">,
                    optimizer = #graph.optimizer<name = "adamw", lr = 0.001>,
                    clip_norm = 1.0>
    ```
    `clip_norm` 0 means no clipping. `autocast` is the mode (`cheapest`,
    `torch`), `rounding` is `fused` or `strict`, `bucket_bytes` bounds the
    bytes of one all-reduce.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::mlir::StringAttr", "::mlir::StringAttr::get($_ctxt, \"fp32\")", "fp32, bf16 or fp16">:$precision,
    DefaultValuedParameter<"::mlir::StringAttr", "::mlir::StringAttr::get($_ctxt, \"cheapest\")">:$autocast,
    DefaultValuedParameter<"::mlir::StringAttr", "::mlir::StringAttr::get($_ctxt, \"fused\")">:$rounding,
    OptionalParameter<"::mpc::graph::LossScaleAttr">:$loss_scale,
    OptionalParameter<"::mpc::graph::OptimizerAttr">:$optimizer,
    DefaultValuedParameter<"::mpc::graph::Real", "0.0">:$clip_norm,
    DefaultValuedParameter<"int64_t", "26214400">:$bucket_bytes);
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
