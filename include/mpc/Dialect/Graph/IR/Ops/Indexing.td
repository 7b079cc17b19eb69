// Family Indexing: elements taken from where indices say, and put there.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_INDEXING_TD
#define MPC_DIALECT_GRAPH_IR_OPS_INDEXING_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/LabelsOpInterface.td"

def Graph_IsSegmentSum : TraitList<[DeclareOpInterfaceMethods<SegmentSumOpInterface>]>;

def Graph_GatherOp : Graph_InferredOp<"gather", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                      [IsMovement, TakesLabels,
                                       AlsoCalled<["embedding", "take", "index_select"]>]> {
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
  let syntax = [{
    $input `,` $indices `dim` `=` $dim (`padding_index` `=` $padding_index^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_SegmentSumOp : Graph_InferredOp<"segment_sum", DenyIO,
    AutocastLists<TorchPromote, Fallthrough, Fallthrough, TfUnlisted, TfUnlisted>, HasVjp,
    [Graph_IsSegmentSum, CompositeAtTimes, TakesLabels, AlsoCalled<["index_add"]>]> {
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
  let syntax = [{
    $input `,` $indices `dim` `=` $dim `size` `=` $size (`ignore_index` `=` $ignore_index^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_GatherElementsOp : Graph_InferredOp<"gather_elements", Clear, OnlyTensorFlow<TfClear>,
    HasVjp, [Composite, TakesLabels, AlsoCalled<["take_along_dim"]>]> {
  let summary = "an element of the input for each index along a dim";
  let description = [{
    Each index selects, along `dim`, an element that otherwise stands where the
    index does: PyTorch's `gather` and `take_along_dim`, ONNX' GatherElements.
    What an index from outside of the dim selects is NaN, or the smallest
    integer, or false; where the indices are an input, the runtime refuses it before.

    `result[a, i, b] = input[a, indices[a, i, b], b] where a are the dims before dim, and b those after it`

    - C1: input and indices have one rank, and `dim` is less than that
    - C2: in no other dim are the indices longer than the input
    - C3: the size of `dim` fits the type of the indices

    ```mlir
    %y = graph.gather_elements %x, %labels dim = 1 : (tensor<4x10xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IntTensor:$indices, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `,` $indices `dim` `=` $dim attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ScatterAddOp : Graph_InferredOp<"scatter_add", DenyIO,
    AutocastLists<TorchPromote, Fallthrough, Fallthrough, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite, TakesLabels]> {
  let summary = "updates added to the elements of the input that indices name";
  let description = [{
    Adds each update to the element of the input that stands, along `dim`, at its
    index, and otherwise where the update does: PyTorch's `scatter_add`, ONNX'
    ScatterElements with reduction `add`. For slices, as of an embedding, see
    `segment_sum`. Indices from outside of the dim add nothing; where the indices are
    an input, the runtime refuses them before. f16 and bf16 are added in f32,
    in the order of the updates, on every target and any number of threads.

    `result[a, n, b] = input[a, n, b] + sum_i updates[a, i, b] where indices[a, i, b] = n`

    - C1: input and updates have one rank, and `dim` is less than that
    - C2: indices and updates have one shape, and in no other dim are they longer than the input
    - C3: input and updates have one element type, and the size of `dim` fits the type of the indices

    ```mlir
    %y = graph.scatter_add %x, %i, %updates dim = 0 : (tensor<10x8xf32>, tensor<4x8xi32>, tensor<4x8xf32>) -> tensor<10x8xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_IntTensor:$indices,
                       Graph_NumberTensor:$updates, I64Attr:$dim);
  let results = (outs Graph_NumberTensor:$result);
  let syntax = [{
    $input `,` $indices `,` $updates `dim` `=` $dim attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_OneHotOp : Graph_InferredOp<"one_hot", Clear,
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfClear, TfUnlisted>, NoGradient,
    [Composite]> {
  let summary = "1 at the index, 0 beside it, along a new last dim";
  let description = [{
    A row for each index. One from outside of the row gives a row of zeros.
    `element_type` is the type of the numbers, f32 if it is not given.

    `result[i, n] = 1 if indices[i] = n else 0`

    - C1: `depth` is 1 or more and fits the type of the indices

    ```mlir
    %y = graph.one_hot %labels depth = 10 element_type = bf16 : (tensor<64xi32>) -> tensor<64x10xbf16>
    ```
  }];
  let arguments = (ins Graph_IntTensor:$indices, I64Attr:$depth,
                       OptionalAttr<TypeAttrOf<Graph_Number>>:$element_type);
  let results = (outs Graph_NumberTensor:$result);
  let syntax = [{
    $indices `depth` `=` $depth (`element_type` `=` $element_type^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

/// `keeps` says which elements of a matrix stay, of row i and column j.
class Graph_TriangleOp<string mnemonic, string side, string keeps>
    : Graph_InferredOp<mnemonic, Clear, Unlisted, HasVjp,
                       [Composite, SameOperandsAndResultElementType]> {
  let summary = side # " triangle of matrices, zeros beside it";
  let description = "The " # side # [{ triangle of the matrices in the last two dims. `diagonal` is
the last that stays: 0, if it is not given, for the main one, above it positive, below
it negative.

`result[..., i, j] = input[..., i, j] if }] # keeps # [{ else 0`

- C1: the rank is 2 or more

```mlir
%y = graph.}] # mnemonic # [{ %x diagonal = -1 : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
```
}];
  let arguments = (ins Graph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$diagonal);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input (`diagonal` `=` $diagonal^)? attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_TrilOp : Graph_TriangleOp<"tril", "lower", "j - i <= diagonal">;
def Graph_TriuOp : Graph_TriangleOp<"triu", "upper", "j - i >= diagonal">;

#endif // MPC_DIALECT_GRAPH_IR_OPS_INDEXING_TD
