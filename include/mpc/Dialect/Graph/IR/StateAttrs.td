// What lives from step to step beside the parameters: `graph.state`.
#ifndef MPC_DIALECT_GRAPH_IR_STATEATTRS_TD
#define MPC_DIALECT_GRAPH_IR_STATEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"

// Numbers are those of the program file (Program.fbs), which says more of each.
def Graph_Role : I32EnumAttr<"Role", "what a state tensor is for", [
  I32EnumAttrCase<"Parameter", 0, "parameter">, I32EnumAttrCase<"WeightCopy", 1, "weight_copy">,
  I32EnumAttrCase<"Moment", 2, "moment">, I32EnumAttrCase<"Scaler", 3, "scaler">,
  I32EnumAttrCase<"Counter", 4, "counter">, I32EnumAttrCase<"Hyperparameter", 5, "hyperparameter">,
  I32EnumAttrCase<"Accumulator", 6, "accumulator">,
  I32EnumAttrCase<"Compensation", 7, "compensation">,
  I32EnumAttrCase<"LossScale", 8, "loss_scale">, I32EnumAttrCase<"StepCounter", 9, "step_counter">,
  I32EnumAttrCase<"LearningRate", 10, "learning_rate">]> {
  let cppNamespace = "::mpc::graph";
  let genSpecializedAttr = 0;
}
def Graph_RoleAttr : EnumAttr<Graph_Dialect, Graph_Role, "role">;

def Graph_StateAttr : AttrDef<Graph_Dialect, "State"> {
  let mnemonic = "state";
  let summary = "what a state tensor is called, what it is for, and how it starts";
  let description = [{
    `of` names what the state belongs to: the parameter of a moment, weight copy
    or compensation, and of the sum of its gradients; the loss of a scaler, where
    each has one; the parameter group of a counter or learning rate, but of the
    default group nothing. `init` is an initialiser; a state without one is
    computed by the entry `init`.

    ```mlir
    #graph.state<"w.exp_avg" moment of "w" init #graph.zeros>
    #graph.state<"scaler.scale" loss_scale init #graph.fill<65536.0>>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, EnumParameter<Graph_Role>:$role,
                        OptionalParameter<"::mlir::StringAttr">:$of,
                        OptionalParameter<"::mlir::Attribute">:$init);
  let assemblyFormat = "`<` $name $role (`of` $of^)? (`init` $init^)? `>`";
  let genVerifyDecl = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_STATEATTRS_TD
