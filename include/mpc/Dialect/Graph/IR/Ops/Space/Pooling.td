// Family Pooling: the largest element, or the mean, of windows of space.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_POOLING_TD
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_POOLING_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/DimsOpInterfaces.td"

/// Windows slide over one to three dims of space, or divide them among the
/// elements of the result.
class Graph_PoolingLikeOp<string mnemonic, Autocast policy, AutocastLists lists, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, policy, lists, HasVjp, [Composite, HasFollowingChannels] # traits> {
  let extraClassDeclaration = [{
    /// Of a valid op.
    ::mpc::graph::PoolingWindows getWindows();
  }];
}

/// `meaning` is what becomes of a window; `bound` a constraint of its own.
class Graph_PoolOp<string mnemonic, Autocast policy, AutocastLists lists, string meaning,
                   string formula, string words, string names, string bound, list<Trait> traits>
    : Graph_PoolingLikeOp<mnemonic, policy, lists, traits> {
  let description = meaning # [{

Input and result are [batch, channels, space...], with one to three dims of space;
if `channels_last`, [batch, space..., channels]. A window of `kernel` begins every
`strides` elements, 1 if they are not given, takes every `dilations`-th element, and
may reach over `low` places before the input and `high` behind it; `same` chooses
those, the larger half behind, so that there are ceil(size / stride) windows. With
`ceil`, a last window may reach over the end, by less than a stride, and none begins
behind the last element (PyTorch's `ceil_mode`, ONNX' too). Places beside the input
are no elements.

`}] # formula # [{ where k runs over the kernel and lies inside`

- C1: the input has rank 3, 4 or 5
- C2: `kernel`, `strides`, `low`, `high` and `dilations` have a number for each dim of space; kernel, strides and dilations are 1 or more, `low` and `high` 0 or more
- C3: `same` stands without `low`, `high` and `ceil`
- C4: the kernel, dilated, is at most as long as the input with the places beside it, with `ceil` by less than a stride longer
- C5: windows reach over at most 2^29 places along a dim, those beside the input counted
- C6: each window holds an element of the input
}] # bound # [{
```mlir
}] # names # " = graph." # mnemonic # " %x kernel = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1]" # words # [{ : (tensor<8x16x32x32xf32>) -> }] # !if(!eq(names, "%y"), "tensor<8x16x16x16xf32>", "(tensor<8x16x16x16xf32>, tensor<8x16x16x16xi32>)") # [{
```
}];
  dag windowArguments = (ins UnitAttr:$same, UnitAttr:$ceil,
    OptionalAttr<DenseI64ArrayAttr>:$strides, OptionalAttr<DenseI64ArrayAttr>:$low,
    OptionalAttr<DenseI64ArrayAttr>:$high, OptionalAttr<DenseI64ArrayAttr>:$dilations);
  code windowSyntax = [{
    $input `kernel` `=` $kernel (`same` $same^)? (`ceil` $ceil^)? (`strides` `=` $strides^)?
    (`low` `=` $low^)? (`high` `=` $high^)? (`dilations` `=` $dilations^)?
  }];
}

def Graph_MaxPoolOp : Graph_PoolOp<"max_pool", Clear,
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfClear, TfClear>,
    [{The largest element of each window, and which it is: `index` is its number in
row-major order of space, the same for both orders of channels. NaN is the largest of all; of equals, the first is
taken, and gets the gradient (PyTorch).}],
    "result[n, c, p] = max_k input[n, c, p * strides + k * dilations - low]", "", "%y, %i",
    "- C7: there are less than 2^31 places of space, those beside the input counted\n",
    [AlsoCalled<["max_pool1d", "max_pool2d", "max_pool3d"]>]> {
  let summary = "largest elements of windows, and where they are";
  let arguments = !con((ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$kernel), windowArguments,
                       (ins UnitAttr:$channels_last));
  let results = (outs Graph_FloatTensor:$result, Graph_I32Tensor:$index);
  let syntax = windowSyntax # "(`channels_last` $channels_last^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_AveragePoolOp : Graph_PoolOp<"average_pool", DenyIO,
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfInfer, TfInfer>,
    [{The mean of each window. With `count_padding`, the places beside the input for which
`low` and `high` stand count as zeros (PyTorch's `count_include_pad`, which is true there); else they are not
counted. f16 and bf16 are added in f32, and rounded once.}],
    "result[n, c, p] = 1/count sum_k input[n, c, p * strides + k * dilations - low]", " count_padding", "%y", "",
    [AlsoCalled<["avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d"]>]> {
  let summary = "means of windows";
  let arguments = !con((ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$kernel), windowArguments,
                       (ins UnitAttr:$count_padding, UnitAttr:$channels_last));
  let results = (outs Graph_FloatTensor:$result);
  let syntax = windowSyntax # [{
    (`count_padding` $count_padding^)? (`channels_last` $channels_last^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

/// Windows from the sizes of the result.
class Graph_AdaptivePoolOp<string mnemonic, Autocast policy, AutocastLists lists, string meaning,
                           string formula, string names, string bound, list<Trait> traits>
    : Graph_PoolingLikeOp<mnemonic, policy, lists, traits> {
  let description = meaning # [{ `sizes` are those of the result in space; the window of its
element p is [p * size / sizes, (p + 1) * size / sizes), the first rounded down and the second up, in each dim of
space (PyTorch). Sizes of 1 make one window of all: global pooling.
Input and result are [batch, channels, space...]; if `channels_last`,
[batch, space..., channels].

`}] # formula # [{ where k runs over the window of p`

- C1: the input has rank 3, 4 or 5
- C2: `sizes` has a number of 1 or more for each dim of space
- C3: input and result have at most 2^29 elements along a dim of space
}] # bound # [{
```mlir
}] # names # " = graph." # mnemonic # [{ %x sizes = [2, 1] : (tensor<8x16x7x7xf32>) -> }] # !if(!eq(names, "%y"), "tensor<8x16x2x1xf32>", "(tensor<8x16x2x1xf32>, tensor<8x16x2x1xi32>)") # [{
```
}];
  let arguments = (ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$sizes, UnitAttr:$channels_last);
  let syntax = [{
    $input `sizes` `=` $sizes (`channels_last` $channels_last^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_AdaptiveMaxPoolOp : Graph_AdaptivePoolOp<"adaptive_max_pool", Clear,
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfClear, TfClear>,
    "The largest element of each window, and which it is, as in `max_pool`.",
    "result[n, c, p] = max_k input[n, c, k]", "%y, %i",
    "- C4: there are less than 2^31 elements of space\n",
    [AlsoCalled<["adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "global_max_pool"]>]> {
  let summary = "largest elements of as many windows as are asked for";
  let results = (outs Graph_FloatTensor:$result, Graph_I32Tensor:$index);
}
def Graph_AdaptiveAveragePoolOp : Graph_AdaptivePoolOp<"adaptive_average_pool", DenyIO,
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfInfer, TfInfer>,
    "The mean of each window. f16 and bf16 are added in f32, and rounded once.",
    "result[n, c, p] = 1/count sum_k input[n, c, k]", "%y", "",
    [AlsoCalled<["adaptive_avg_pool", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
                 "global_average_pool"]>]> {
  let summary = "means of as many windows as are asked for";
  let results = (outs Graph_FloatTensor:$result);
}

def Graph_MaxPoolGradientOp : Graph_PoolingLikeOp<"max_pool_gradient", DenyIO,
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfClear, TfClear>> {
  let summary = "the gradient of the largest elements of windows";
  let description = [{
    Gives what comes back to each window to the element that was its largest. The
    windows are those of a `max_pool` of an input of `sizes` in space, or, without
    `kernel`, of an `adaptive_max_pool`; `index` is what that told. What comes to one element
    is added in f32, window by window.

    `result[n, c, i] = sum_p cotangent[n, c, p] where index[n, c, p] = i`

    - C1: the cotangent has rank 3, 4 or 5, and the index its shape
    - C2: `sizes`, `kernel`, `strides`, `low` and `dilations` have a number for each dim of space; all are 1 or more, `low` 0 or more
    - C3: windows reach over at most 2^29 places along a dim, those beside the input counted
    - C4: there are less than 2^31 places of space, those beside the input counted

    ```mlir
    %dx = graph.max_pool_gradient %dy, %i sizes = [32, 32] kernel = [3, 3] strides = [2, 2] low = [1, 1] : (tensor<8x16x16x16xf32>, tensor<8x16x16x16xi32>) -> tensor<8x16x32x32xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_I32Tensor:$index, DenseI64ArrayAttr:$sizes,
    OptionalAttr<DenseI64ArrayAttr>:$kernel, OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$low, OptionalAttr<DenseI64ArrayAttr>:$dilations, UnitAttr:$channels_last);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $cotangent `,` $index `sizes` `=` $sizes (`kernel` `=` $kernel^)? (`strides` `=` $strides^)? (`low` `=` $low^)?
    (`dilations` `=` $dilations^)? (`channels_last` $channels_last^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_POOLING_TD
