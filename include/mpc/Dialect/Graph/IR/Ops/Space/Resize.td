// Family Resize: other sizes of space, from elements nearby.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_RESIZE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_RESIZE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/DimsOpInterfaces.td"

/// `meaning` is what is made of the elements around x, `formula` the same.
class Graph_ResizeOp<string mnemonic, Autocast policy, AutocastLists lists, string meaning,
                     string formula, string example, list<Trait> traits>
    : Graph_InferredOp<mnemonic, policy, lists, HasVjp,
        [Composite, HasFollowingChannels, SameOperandsAndResultElementType] # traits> {
  let description = meaning # [{ Each dim of space becomes
one of `sizes`, for itself. Where element o of the result lies in the input, x, is said as
in ONNX: of n elements that become m, by a scale of m / n, or one of `scales`, (o + 0.5) / scale - 0.5; with `asymmetric`
o / scale; with `align_corners` o * (n - 1) / (m - 1), and 0 if m is 1; with
`pytorch_half_pixel` as without, but 0 if m is 1. Indices beside the input are those of
its first or last element. Input and result are [batch, channels,
space...]; if `channels_last`, [batch, space..., channels].

`}] # formula # [{`

- C1: the input has rank 3, 4 or 5
- C2: `sizes` has a number of 1 or more for each dim of space
- C3: `scales` has a finite number greater than 0 for each dim of space
- C4: one of `align_corners`, `asymmetric` and `pytorch_half_pixel` is given, or none
}] # !if(!eq(mnemonic, "resize_nearest"), "- C5: one of `floor`, `ceil` and `prefer_ceil` is given, or none\n", "") # [{
```mlir
%y = graph.}] # mnemonic # " %x sizes = [64, 48] " # example # [{ : (tensor<8x16x32x24xf32>) -> tensor<8x16x64x48xf32>
```
}];
  dag placeArguments = (ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$sizes,
    OptionalAttr<DenseF64ArrayAttr>:$scales, UnitAttr:$align_corners, UnitAttr:$asymmetric,
    UnitAttr:$pytorch_half_pixel);
  code placeSyntax = [{
    $input `sizes` `=` $sizes (`scales` `=` $scales^)? (`align_corners` $align_corners^)?
    (`asymmetric` $asymmetric^)? (`pytorch_half_pixel` $pytorch_half_pixel^)?
  }];
  code lastSyntax = [{
    (`channels_last` $channels_last^)? attr-dict `:` functional-type(operands, results)
  }];
  let results = (outs Graph_FloatTensor:$result);
  let extraClassDeclaration = [{
    /// Of a valid op, for each dim of space: which elements each of the result
    /// is made of.
    ::llvm::SmallVector<::mpc::graph::Taps> getTaps();
    int64_t firstSpaceDim() { return ::mpc::graph::firstSpaceDimOf(getChannelsLast()); }
  }];
}

def Graph_ResizeNearestOp : Graph_ResizeOp<"resize_nearest", Clear,
    AutocastLists<Fp32, Fallthrough, Fp32, TfClear, TfClear>,
    [{The nearest element: x, rounded; of two the first one or, with `prefer_ceil`, the
second. `floor` and `ceil` round down and up. PyTorch's `nearest` is `asymmetric floor`, its
`nearest-exact` is `prefer_ceil`.}],
    "result[n, c, o] = input[n, c, round(x)]", "asymmetric floor",
    [AlsoCalled<["upsample", "upsample_nearest", "interpolate", "resize"]>]> {
  let summary = "another size of space, of nearest elements";
  let arguments = !con(placeArguments, (ins UnitAttr:$floor, UnitAttr:$ceil, UnitAttr:$prefer_ceil,
                                            UnitAttr:$channels_last));
  let syntax = placeSyntax # "(`floor` $floor^)? (`ceil` $ceil^)? (`prefer_ceil` $prefer_ceil^)?" # lastSyntax;
}
def Graph_ResizeLinearOp : Graph_ResizeOp<"resize_linear", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfClear>,
    [{The two elements around x, weighted by how near they are: bilinear in two dims, trilinear in three.
f16 and bf16 are computed in f32. PyTorch's is that of no word, or of `align_corners`.}],
    "result[n, c, o] = (1 - t) * input[n, c, floor(x)] + t * input[n, c, floor(x) + 1] where t = x - floor(x)",
    "align_corners", [AlsoCalled<["upsample_linear", "upsample_bilinear", "upsample_trilinear"]>]> {
  let summary = "another size of space, by linear interpolation";
  let arguments = !con(placeArguments, (ins UnitAttr:$channels_last));
  let syntax = placeSyntax # lastSyntax;
}
def Graph_ResizeCubicOp : Graph_ResizeOp<"resize_cubic", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfUnlisted>,
    [{The four elements around x, by cubic convolution (Keys, Cubic convolution interpolation for digital image
processing, 1981), whose `coefficient` is -0.75 if it is not given (PyTorch, ONNX). f16 and bf16 are computed in
f32.}],
    "result[n, c, o] = sum_k w(t - k) * input[n, c, floor(x) + k] where t = x - floor(x), k from -1 to 2",
    "coefficient = -0.5", [AlsoCalled<["upsample_bicubic"]>]> {
  let summary = "another size of space, by cubic interpolation";
  let arguments = !con(placeArguments, (ins DefaultValuedAttr<F64Attr, "-0.75">:$coefficient,
                                            UnitAttr:$channels_last));
  let syntax = placeSyntax # "(`coefficient` `=` custom<RealAttr>($coefficient)^)?" # lastSyntax;
}

def Graph_ResizeGradientOp : Graph_InferredOp<"resize_gradient", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite, HasFollowingChannels, SameOperandsAndResultElementType]> {
  let summary = "the gradient of a resized tensor";
  let description = [{
    Gives what comes back to each element of a resized tensor to those that it was made of,
    by the weights that they had. `sizes` are those of the input that was resized; it was resized as the other words
    say: by `resize_linear` or `resize_cubic`, or by `resize_nearest` if neither is
    given. f16 and bf16 are added in f32.

    `result[n, c, i] = sum_o weight(o, i) * cotangent[n, c, o] where the resized tensor was sum_i weight(o, i) * input[n, c, i]`

    - C1: the cotangent has rank 3, 4 or 5
    - C2: `sizes` has a number of 1 or more for each dim of space
    - C3: `scales` has a finite number greater than 0 for each dim of space
    - C4: one of `align_corners`, `asymmetric` and `pytorch_half_pixel` is given, or none
    - C5: one of `linear`, `cubic`, `floor`, `ceil` and `prefer_ceil` is given, or none

    ```mlir
    %dx = graph.resize_gradient %dy sizes = [32, 24] align_corners linear : (tensor<8x16x64x48xf32>) -> tensor<8x16x32x24xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, DenseI64ArrayAttr:$sizes,
    OptionalAttr<DenseF64ArrayAttr>:$scales, UnitAttr:$align_corners, UnitAttr:$asymmetric,
    UnitAttr:$pytorch_half_pixel, UnitAttr:$linear, UnitAttr:$cubic, DefaultValuedAttr<F64Attr, "-0.75">:$coefficient,
    UnitAttr:$floor, UnitAttr:$ceil, UnitAttr:$prefer_ceil, UnitAttr:$channels_last);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $cotangent `sizes` `=` $sizes (`scales` `=` $scales^)? (`align_corners` $align_corners^)?
    (`asymmetric` $asymmetric^)? (`pytorch_half_pixel` $pytorch_half_pixel^)? (`linear` $linear^)? (`cubic` $cubic^)?
    (`coefficient` `=` custom<RealAttr>($coefficient)^)? (`floor` $floor^)? (`ceil` $ceil^)?
    (`prefer_ceil` $prefer_ceil^)? (`channels_last` $channels_last^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Of a valid op, for each dim of space: what the resized tensor was made of.
    ::llvm::SmallVector<::mpc::graph::Taps> getTaps();
    int64_t firstSpaceDim() { return ::mpc::graph::firstSpaceDimOf(getChannelsLast()); }
  }];
}

/// Blocks of space and groups of channels, one for the other.
class Graph_ShuffleOp<string mnemonic, string meaning, string formula, string constraint,
                      string types, list<Trait> traits>
    : Graph_InferredOp<mnemonic, Clear, OnlyTensorFlow<TfClear>, HasVjp,
        [Composite, HasFollowingChannels, SameOperandsAndResultElementType] # traits> {
  let description = meaning # [{ A channel of the many is
c * block + b, b being the place in the block (PyTorch, ONNX' CRD), or with `blocks_first` b * channels + c
(ONNX' DCR, TensorFlow). Input and result are [batch, channels, space...]; if
`channels_last`, [batch, space..., channels].

`}] # formula # [{`

- C1: the input has rank 3, 4 or 5, and `factor` is 1 or more
- C2: }] # constraint # [{

```mlir
%y = graph.}] # mnemonic # " %x factor = 2 : " # types # [{
```
}];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$factor, UnitAttr:$blocks_first, UnitAttr:$channels_last);
  let results = (outs Graph_Tensor:$result);
  let syntax = [{
    $input `factor` `=` $factor (`blocks_first` $blocks_first^)? (`channels_last` $channels_last^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_PixelShuffleOp : Graph_ShuffleOp<"pixel_shuffle",
    "Makes a block of `factor` elements along each dim of space of as many channels.",
    "result[n, c, p * factor + b] = input[n, c * block + b, p] where block = factor ^ (dims of space)",
    "the number of channels is divisible by that of a block",
    "(tensor<8x16x5x7xf32>) -> tensor<8x4x10x14xf32>", [AlsoCalled<["depth_to_space"]>]> {
  let summary = "channels become blocks of space";
}
def Graph_PixelUnshuffleOp : Graph_ShuffleOp<"pixel_unshuffle",
    "Makes as many channels of each block of `factor` elements along each dim of space.",
    "result[n, c * block + b, p] = input[n, c, p * factor + b] where block = factor ^ (dims of space)",
    "the sizes of space are divisible by `factor`",
    "(tensor<8x4x10x14xf32>) -> tensor<8x16x5x7xf32>", [AlsoCalled<["space_to_depth"]>]> {
  let summary = "blocks of space become channels";
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_RESIZE_TD
