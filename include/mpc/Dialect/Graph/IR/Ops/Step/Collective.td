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

def Graph_SumOverRanksOp : Graph_InferredOp<"sum_over_ranks", Clear, Unlisted, NoGradient> {
  let summary = "sums over all ranks, in the middle of a model";
  let description = [{
    What an op of the model needs of all ranks, as a batch norm that is
    `synchronized`: each tensor becomes, on every rank, its sum over the ranks of
    `group`. All ranks come to it in the same order. It is no part of reducing
    gradients, which `all_reduce` does in buckets, once; a gradient may depend on
    any number of these sums. In a program for one rank (`--reduce=none`) results
    are the inputs.

    `result_t[i] = sum over ranks r of (input_t[i] on rank r)`

    - C1: there is at least one input
    - C2: inputs have one element type, so that they are one message
    - C3: each result has the type of its input
    - C4: the group has a name

    ```mlir
    %s:2 = graph.sum_over_ranks %total, %product group = "data" : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Variadic<Graph_FloatTensor>:$inputs,
    DefaultValuedAttr<StrAttr, "\"data\"">:$group);
  let results = (outs Variadic<Graph_FloatTensor>:$results);
  let syntax = [{
    $inputs `group` `=` $group attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_TD
