// Family Shape: elements made from nothing, or moved, never computed.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SHAPE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_SHAPE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/DimsOpInterfaces.td"

def Graph_IotaOp : Graph_Op<"iota", Clear, Unlisted, NoGradient,
                            [IsMovement, IsResizable, AlsoCalled<["arange"]>]> {
  let summary = "index along a dim";
  let description = [{
    The position of each element along one dim, to be compared with labels.

    `result[..., i, ...] = i where i is the index along dim`

    - C1: `dim` is less than the rank
    - C2: the size of `dim` fits the element type

    ```mlir
    %i = graph.iota dim = 1 : tensor<64x10xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Graph_IntTensor:$result);
  let syntax = "`dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Graph_ReshapeOp : Graph_Op<"reshape", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                               [IsMovement, SameOperandsAndResultElementType,
                                AlsoCalled<["view", "flatten", "squeeze", "unsqueeze"]>]> {
  let summary = "same elements in row-major order, other shape";
  let description = [{
    Splits, joins, adds and drops dims; no element moves.

    `result[row_major(n)] = input[row_major(n)]`

    - C1: input and result have as many elements

    ```mlir
    %y = graph.reshape %x : (tensor<64x8x8xf32>) -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let syntax = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Graph_OptimizationBarrierOp : Graph_Op<"optimization_barrier", Clear, Unlisted, NoGradient,
    [OrdersOnly, AllTypesMatch<["input", "result"]>]> {
  let summary = "its input, not before another value is there";
  let description = [{
    What reads the result is computed after `after`, and is not merged with what
    reads the input: so the backward computes again what it does not keep
    (`mpc-recompute`). No element moves, and `after` is not read.

    `result[i] = input[i]`

    - C1: input and result have one type

    ```mlir
    %y = graph.optimization_barrier %x after %dy : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$after);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `after` $after attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_TransposeOp : Graph_InferredOp<"transpose", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                         [IsMovement, SameOperandsAndResultElementType,
                                          AlsoCalled<["permute"]>]> {
  let summary = "dims permuted: dim i of the result is dim permutation[i] of the input";
  let description = [{
    Reorders the dims.

    `result[i_0, ..., i_n] = input[j_0, ..., j_n] where j_permutation[d] = i_d`

    - C1: `permutation` is a permutation of the dims

    ```mlir
    %y = graph.transpose %x permutation = [2, 0, 1] : (tensor<4x8x3xf32>) -> tensor<3x4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `permutation` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Graph_BroadcastOp : Graph_Op<"broadcast", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                 [IsMovement, IsResizable, SameOperandsAndResultElementType,
                                  AlsoCalled<["expand"]>]> {
  let summary = "elements repeated along new dims or dims of size 1 (NumPy's rule)";
  let description = [{
    Shapes align at the last dim; a dim of size 1 and a missing leading dim
    repeat. The inverse in the backward pass is `sum`.

    `result[i] = input[i with 0 along repeated dims]`

    - C1: the input's shape broadcasts to the result's shape

    ```mlir
    %y = graph.broadcast %x : (tensor<8x1xf32>) -> tensor<4x8x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let syntax = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Graph_SliceOp : Graph_InferredOp<"slice", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                     [IsMovement, IsPermutable, IsResizable, SameOperandsAndResultElementType]> {
  let summary = "box [offsets, offsets + sizes) of the input";
  let description = [{
    A range along every dim. With `steps` it is every steps-th element of one:
    NumPy's and ONNX' slices with positive steps, of which `sizes` says how many
    there are.

    `result[i] = input[offsets + i * steps]`

    - C1: there is one offset, one size and, if steps are given, one step per dim
    - C2: sizes and steps are 1 or more and the box lies within the input

    ```mlir
    %y = graph.slice %x offsets = [2, 0] sizes = [1, 8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `offsets` `=` $offsets `sizes` `=` $sizes (`steps` `=` $steps^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    int64_t getStep(size_t dim) { return getSteps() ? (*getSteps())[dim] : 1; }
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Graph_WindowOp : Graph_InferredOp<"window", Clear, Unlisted, HasVjp,
                                      [IsMovement, IsPermutable, IsResizable, SameOperandsAndResultElementType]> {
  let summary = "elements at even distances, and zeros where there are none";
  let description = [{
    What one place of a window sees that slides over the input, `steps` at a time,
    beginning at `offsets`, and of it `sizes` places. Elements of the input lie `spread` apart; between them
    and beside the input are zeros or, if `lowest`, the smallest elements: -inf of
    floats, the smallest integer. With `repeat`, each element fills the way to the
    next one. Steps and spread are 1, if they are not given. So a
    pad, also one that cuts off, is a window, and nearest neighbours are.
    Pooling is made of windows; kernels read them where the input lies.

    `result[i] = input[(i * steps + offsets) / spread] where that is whole, or is rounded down if repeat, and lies inside; 0 elsewhere, or the smallest element if lowest`

    - C1: there is one offset and one size per dim, and one of `steps` and `spread` if they are given
    - C2: sizes, steps and spread are 1 or more
    - C3: no i * steps + offsets has a magnitude of 2^31 - 1 or more, nor has a place of the input, n * spread, from there
    - C4: `repeat` stands without steps

    ```mlir
    %y = graph.window %x offsets = [0, -1] sizes = [4, 5] steps = [1, 2] lowest : (tensor<4x8xf32>) -> tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$steps,
                       OptionalAttr<DenseI64ArrayAttr>:$spread, UnitAttr:$repeat, UnitAttr:$lowest);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `offsets` `=` $offsets `sizes` `=` $sizes (`steps` `=` $steps^)? (`spread` `=` $spread^)?
    (`repeat` $repeat^)? (`lowest` $lowest^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    int64_t getStep(size_t dim) { return getSteps() ? (*getSteps())[dim] : 1; }
    int64_t getSpread(size_t dim) { return getSpread() ? (*getSpread())[dim] : 1; }
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Graph_PadOp : Graph_InferredOp<"pad", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                   [IsMovement, IsPermutable, SameOperandsAndResultElementType]> {
  let summary = "zeros added before and after each dim";
  let description = [{
    The input in a frame of zeros; the gradient of `slice`.

    `result[i] = input[i - low] inside the input, 0 elsewhere`

    - C1: there is one `low` and one `high` per dim, and none is negative

    ```mlir
    %y = graph.pad %x low = [1, 0] high = [0, 2] : (tensor<4x8xf32>) -> tensor<5x10xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `low` `=` $low `high` `=` $high attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}
def Graph_ConcatOp : Graph_InferredOp<"concat", Promote,
    AutocastLists<Fallthrough, TorchPromote, TorchPromote, TfClear, TfClear>, HasVjp,
    [IsMovement, IsPermutable, SameOperandsAndResultElementType, AlsoCalled<["cat"]>]> {
  let summary = "inputs laid one after the other along a dim";
  let description = [{
    Joins tensors that agree in all dims but one.

    `result[..., offset_t + i, ...] = input_t[..., i, ...] where offset_t is the sum of the earlier sizes`

    - C1: there is at least one input
    - C2: `dim` is less than the rank
    - C3: shapes agree except in `dim`
    - C4: inputs and result have one element type

    ```mlir
    %y = graph.concat %a, %b dim = 1 : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $inputs `dim` `=` $dim attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_StackOp : Graph_InferredOp<"stack", Promote,
    AutocastLists<Fallthrough, TorchPromote, TorchPromote, TfClear, TfClear>, HasVjp,
    [Composite, SameOperandsAndResultElementType]> {
  let summary = "inputs laid one after the other along a new dim";
  let description = [{
    Joins tensors of one shape; the new dim counts them.

    `result[a, t, b] = input_t[a, b] where t runs along dim`

    - C1: there is at least one input
    - C2: `dim` is at most the rank of the inputs
    - C3: inputs have one shape and one element type

    ```mlir
    %y = graph.stack %a, %b dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $inputs `dim` `=` $dim attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_SplitOp : Graph_InferredOp<"split", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                     [Composite, AlsoCalled<["chunk"]>]> {
  let summary = "parts of the input that lie one after the other along a dim";
  let description = [{
    The reverse of `concat`: a result for each size. The gradient is one concat.

    `result_t[..., i, ...] = input[..., offset_t + i, ...] where offset_t is the sum of the earlier sizes`

    - C1: `dim` is less than the rank
    - C2: sizes are 1 or more, and their sum is the size of `dim`

    ```mlir
    %q, %kv = graph.split %x dim = 1 sizes = [8, 16] : (tensor<4x24xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$dim, DenseI64ArrayAttr:$sizes);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let syntax = [{
    $input `dim` `=` $dim `sizes` `=` $sizes attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_FlipOp : Graph_InferredOp<"flip", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                    [Composite, SameOperandsAndResultElementType]> {
  let summary = "elements in reverse order along dims";
  let description = [{
    The last element of each of the dims becomes the first.

    `result[..., i, ...] = input[..., n - 1 - i, ...] where n is the size of a dim of dims`

    - C1: `dims` are ascending, unique and less than the rank

    ```mlir
    %y = graph.flip %x dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let syntax = "$input `dims` `=` $dims attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}
def Graph_TileOp : Graph_InferredOp<"tile", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                                    [Composite, SameOperandsAndResultElementType, AlsoCalled<["repeat"]>]> {
  let summary = "the whole input repeated along dims";
  let description = [{
    The input, laid `repeats` times beside itself along each dim.

    `result[i] = input[i mod the sizes of the input]`

    - C1: there is one number of repeats per dim, and each is 1 or more

    ```mlir
    %y = graph.tile %x repeats = [1, 3] : (tensor<4x8xf32>) -> tensor<4x24xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$repeats);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `repeats` `=` $repeats attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

/// Pads with elements of the input: `formula` says which is at i - low.
class Graph_CopyingPadOp<string mnemonic, AutocastLists lists, string meaning, string formula,
                         string bound>
    : Graph_InferredOp<mnemonic, Clear, lists, HasVjp,
                       [Composite, SameOperandsAndResultElementType]> {
  let description = meaning # [{ `low` elements are added before, `high` after each dim.

`result[i] = input[}] # formula # [{] where n is the size of the dim, in each dim`

- C1: there is one `low` and one `high` per dim, and none is negative}] # bound # [{

```mlir
%y = graph.}] # mnemonic # [{ %x low = [0, 2] high = [0, 1] : (tensor<4x8xf32>) -> tensor<4x11xf32>
```
}];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `low` `=` $low `high` `=` $high attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Builds which index of the input each of the result copies along `dim`.
    ::mlir::Value buildSources(::mlir::ImplicitLocOpBuilder &builder, int64_t dim);
  }];
  let hasFolder = 1;
}
def Graph_ReflectionPadOp : Graph_CopyingPadOp<"reflection_pad",
    AutocastLists<Fallthrough, Fp32, Fallthrough, TfClear, TfClear>,
    "The input, mirrored at its first and last elements, which are not repeated.",
    "n - 1 - |n - 1 - |i - low||", "\n- C2: both are less than the size of their dim"> {
  let summary = "a frame of the input's mirror image";
}
def Graph_ReplicationPadOp : Graph_CopyingPadOp<"replication_pad",
    AutocastLists<Fallthrough, Fp32, Fallthrough, TfUnlisted, TfUnlisted>,
    "The input in a frame of copies of its outermost elements.",
    "min(max(i - low, 0), n - 1)", ""> {
  let summary = "a frame of the input's edge";
}
def Graph_CircularPadOp : Graph_CopyingPadOp<"circular_pad", Unlisted,
    "The input between copies of its other end, as if it were a circle.",
    "(i - low) mod n", "\n- C2: neither is greater than the size of its dim"> {
  let summary = "a frame of the input's other ends";
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_SHAPE_TD
