// Family Collective: values combined over ranks.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

def Graph_AllReduceOp : Graph_InferredOp<"all_reduce", Clear, Unlisted, NoGradient> {
  let summary = "each tensor combined over all ranks of a group";
  let description = [{
    One bucket of tensors, each replaced on every rank by the `sum`, `average`
    or `max` over the ranks of `group`. Buckets are numbered in the order in
    which they are issued; every rank issues the same buckets in that order.

    `result_t[i] = kind over ranks r of (input_t[i] on rank r)`

    - C1: there is at least one input
    - C2: inputs have one element type, so that a bucket is one buffer
    - C3: each result has the type of its input
    - C4: the group has a name and the bucket is not negative

    ```mlir
    %r:2 = graph.all_reduce <average> %g1, %g2 group = "data" bucket = 0 : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Variadic<Graph_FloatTensor>:$inputs,
    Graph_ReduceKindAttr:$kind,
    DefaultValuedAttr<StrAttr, "\"data\"">:$group,
    DefaultValuedAttr<I64Attr, "0">:$bucket);
  let results = (outs Variadic<Graph_FloatTensor>:$results);
  let syntax = [{
    $kind $inputs `group` `=` $group `bucket` `=` $bucket attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_TD
