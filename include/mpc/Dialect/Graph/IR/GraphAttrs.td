// Attributes of the graph dialect: initialisers, states and enums of ops. How to
// train: TrainingAttrs.td.
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
  let hasCustomAssemblyFormat = 1;
}
def Graph_FillAttr : Graph_Attr<"Fill", "fill"> {
  let summary = "all elements `value`";
  let description = "`#graph.fill<0.5>`";
  let parameters = (ins "::mpc::graph::Real":$value);
  let hasCustomAssemblyFormat = 1;
}
def Graph_NormalAttr : Graph_Attr<"Normal", "normal"> {
  let summary = "normal distribution with `mean` and `stddev`";
  let description = "`#graph.normal<0.0, 0.02>`: the mean, then the standard deviation.";
  let parameters = (ins "::mpc::graph::Real":$mean, "::mpc::graph::Real":$stddev);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def Graph_UniformAttr : Graph_Attr<"Uniform", "uniform"> {
  let summary = "uniform distribution on [`low`, `high`)";
  let description = "`#graph.uniform<-0.1, 0.1>`";
  let parameters = (ins "::mpc::graph::Real":$low, "::mpc::graph::Real":$high);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===-- Marks of inputs ----------------------------------------------------===//

def Graph_ClassesAttr : Graph_Attr<"Classes", "classes"> {
  let summary = "labels: integers in [0, `count`), or `ignored`, which does not count";
  let description = "`#graph.classes<count = 10, ignored = -100>`; `ignored` may be missing.";
  let parameters = (ins "int64_t":$count, OptionalParameter<"::std::optional<int64_t>">:$ignored);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===-- What lives from step to step beside parameters ----------------------===//

// Numbers are those of the program file (Program.fbs), which says more of each.
def Graph_Role : I32EnumAttr<"Role", "what a state tensor is for", [
  I32EnumAttrCase<"Parameter", 0, "parameter">, I32EnumAttrCase<"WeightCopy", 1, "weight_copy">,
  I32EnumAttrCase<"Moment", 2, "moment">, I32EnumAttrCase<"Scaler", 3, "scaler">,
  I32EnumAttrCase<"Counter", 4, "counter">, I32EnumAttrCase<"Hyperparameter", 5, "hyperparameter">,
  I32EnumAttrCase<"Accumulator", 6, "accumulator">,
  I32EnumAttrCase<"Compensation", 7, "compensation">,
  I32EnumAttrCase<"LossScale", 8, "loss_scale">, I32EnumAttrCase<"StepCounter", 9, "step_counter">,
  I32EnumAttrCase<"LearningRate", 10, "learning_rate">, I32EnumAttrCase<"RandomSeed", 11, "random_seed">,
  I32EnumAttrCase<"RandomStep", 12, "random_step">,
  I32EnumAttrCase<"RunningStatistic", 13, "running_statistic">]> {
  let cppNamespace = "::mpc::graph";
  let genSpecializedAttr = 0;
}
def Graph_RoleAttr : EnumAttr<Graph_Dialect, Graph_Role, "role"> {
  let assemblyFormat = "custom<Keyword>($value)";
}

def Graph_StateAttr : Graph_Attr<"State", "state"> {
  let summary = "what a state tensor is called, what it is for, and how it starts";
  let description = [{
    `of` names what the state belongs to: the parameter of a moment, weight copy
    or compensation, and of the sum of its gradients; the loss of a scaler, where
    each has one; the parameter group of a counter or learning rate, but of the
    default group nothing. `init` is an initialiser; a state without one is
    computed by the entry `init`. A model itself has states of one role, the
    running statistics of `batch_norm`.

    ```mlir
    #graph.state<"w.exp_avg" moment of "w" init #graph.zeros>
    #graph.state<"scaler.scale" loss_scale init #graph.fill<65536.0>>
    #graph.state<"bn.running_var" running_statistic init #graph.fill<1.0>>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, EnumParameter<Graph_Role>:$role,
                        OptionalParameter<"::mlir::StringAttr">:$of,
                        OptionalParameter<"::mlir::Attribute">:$init);
  let assemblyFormat = "`<` $name custom<Keyword>($role) (`of` $of^)? (`init` $init^)? `>`";
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
  let assemblyFormat = "`` custom<KeywordInAngles>($value)";
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
    "how the losses of samples or elements become one number, if they do", [
  I32EnumAttrCase<"Mean", 0, "mean">, I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"None", 2, "none">]>;
def Graph_LossReductionAttr
    : Graph_EnumAttr<Graph_LossReduction, "loss_reduction">;

def Graph_GroupKind : Graph_Enum<"GroupKind", "what executes a group", [
  I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Column", 1, "column">,
  I32EnumAttrCase<"Move", 2, "move">, I32EnumAttrCase<"Library", 3, "library">]>;
def Graph_GroupKindAttr : Graph_EnumAttr<Graph_GroupKind, "group_kind">;

#endif // MPC_DIALECT_GRAPH_IR_GRAPHATTRS_TD
