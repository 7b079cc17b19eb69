// Family Collective: values combined over ranks.
#ifndef MPC_DIALECT_GRAPH_IR_COLLECTIVE_TD
#define MPC_DIALECT_GRAPH_IR_COLLECTIVE_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_AllReduceOp : Graph_InferredOp<"all_reduce", Clear, Unlisted, NoGradient> {
  let summary = "each tensor combined over all ranks of a group";
  let arguments = (ins Variadic<Graph_FloatTensor>:$inputs,
    Graph_ReduceKindAttr:$kind,
    DefaultValuedAttr<StrAttr, "\"data\"">:$group,
    DefaultValuedAttr<I64Attr, "0">:$bucket);
  let results = (outs Variadic<Graph_FloatTensor>:$results);
  let assemblyFormat = [{
    $kind $inputs `group` `=` $group `bucket` `=` $bucket attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_COLLECTIVE_TD
