// Not a family but a frame: the ops that one kernel or library call executes.
#ifndef MPC_DIALECT_GRAPH_IR_GROUP_TD
#define MPC_DIALECT_GRAPH_IR_GROUP_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_GroupOp : Graph_Op<"group", Clear, Unlisted, NoGradient,
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "ops executed as one kernel or one library call";
  let description = [{
    Operands are the tensors that the kernel reads, results those it writes;
    block argument i is operand i. Values inside exist in registers only.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Graph_GroupKindAttr:$kind);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind $inputs attr-dict-with-keyword `:` functional-type(operands, results) $body
  }];
}
def Graph_YieldOp : Graph_Op<"yield", Clear, Unlisted, NoGradient,
    [Terminator, HasParent<"GroupOp">]> {
  let summary = "results of a group";
  let arguments = (ins Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
}

#endif // MPC_DIALECT_GRAPH_IR_GROUP_TD
