// Family Indexing: elements taken from where a tensor of indices says, and put
// there.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_INDEXING_TD
#define MPC_DIALECT_GRAPH_IR_OPS_INDEXING_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/LabelsOpInterface.td"

def Graph_IsSegmentSum : TraitList<[DeclareOpInterfaceMethods<SegmentSumOpInterface>]>;

def Graph_GatherOp : Graph_InferredOp<"gather", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                      [IsMovement, TakesLabels]> {
  let summary = "slices of the input at indices along a dim (an embedding)";
  let description = [{
    The slice of the input at each index, along `dim`: the dims of the indices
    stand in the result where `dim` stood. What an index from outside of the
    dim selects is NaN, or the smallest integer, or false, and nothing outside
    is read; where the indices are an input, the runtime refuses it before. The slice of
    `padding_index`, if it is given, gets no gradient (PyTorch's padding_idx).

    `result[a, i, b] = input[a, indices[i], b] where a are the dims before dim, and b those after it`

    - C1: `dim` is less than the rank of the input
    - C2: the size of `dim` fits the type of the indices
    - C3: `padding_index` is an index of `dim`

    ```mlir
    %y = graph.gather %table, %tokens dim = 0 : (tensor<50257x768xf32>, tensor<4x8xi32>) -> tensor<4x8x768xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IntTensor:$indices, I64Attr:$dim,
                       OptionalAttr<I64Attr>:$padding_index);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `dim` `=` $dim (`padding_index` `=` $padding_index^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_SegmentSumOp : Graph_InferredOp<"segment_sum", DenyIO,
    AutocastLists<TorchPromote, Fallthrough, Fallthrough, TfUnlisted, TfUnlisted>, HasVjp,
    [Graph_IsSegmentSum, CompositeAtTimes, TakesLabels]> {
  let summary = "sums of the slices that have one index (scatter_add into zeros)";
  let description = [{
    Adds each slice of the input to the slice of the result that its index
    names: the reverse of `gather`. `size` is how many there are; indices from
    outside of it, and `ignore_index` if it is given, add nothing; where the
    indices are an input, the runtime refuses those outside before. f16 and bf16
    are added in f32. Slices are added in the order of the indices, on every
    target and any number of threads: there are no atomics.

    `result[a, n, b] = sum_i input[a, i, b] where indices[i] = n`

    - C1: the dims of the indices are those of the input from `dim` on
    - C2: `size` is 1 or more, and it and `ignore_index` fit the type of the indices

    ```mlir
    %y = graph.segment_sum %x, %tokens dim = 0 size = 50257 : (tensor<4x8x768xf32>, tensor<4x8xi32>) -> tensor<50257x768xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_IntTensor:$indices, I64Attr:$dim,
                       I64Attr:$size, OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `dim` `=` $dim `size` `=` $size (`ignore_index` `=` $ignore_index^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_INDEXING_TD
