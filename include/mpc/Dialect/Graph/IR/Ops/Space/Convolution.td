// Family Convolution: weighted sums over windows of space; library calls.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_CONVOLUTION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_CONVOLUTION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/DimsOpInterfaces.td"
include "mpc/Interfaces/StridedShape.td"

/// Of three tensors, input, weight and result of a convolution, an op of this
/// family makes one of the other two. They are the three gradients of each other,
/// so each has a gradient, as often as is asked.
class Graph_ConvolutionLikeOp<string mnemonic, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, Allow,
        AutocastLists<LowerPrecisionFp, LowerPrecisionFp, LowerPrecisionFp, TfAllow, TfAllow>, HasVjp,
        [IsLibraryCall, HasChannels, CompositeAtTimes] # traits> {
  /// How windows lie, after the operands and before the types.
  code windowSyntax = [{
    (`strides` `=` $strides^)? (`low` `=` $low^)? (`high` `=` $high^)?
    (`dilations` `=` $dilations^)? (`groups` `=` $groups^)? (`channels_last` $channels_last^)?
    (`dtype` `=` $dtype^)? attr-dict `:` functional-type(operands, results)
  }];
  /// The same for all three, so that one's gradient says what the other said.
  dag windowArguments = (ins OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$low, OptionalAttr<DenseI64ArrayAttr>:$high,
    OptionalAttr<DenseI64ArrayAttr>:$dilations, OptionalAttr<I64Attr>:$groups,
    UnitAttr:$channels_last, Graph_DTypeAttr:$dtype);
  let results = (outs Graph_FloatTensor:$result);
  code words = [{
    /// Of a valid op.
    ::mpc::graph::ConvolutionWindows getWindows();
  }];
  let extraClassDeclaration = words;
}

/// One with a weight and, if it has one, a bias for each channel of its result.
class Graph_BiasedConvolutionOp<string mnemonic, list<Trait> traits>
    : Graph_ConvolutionLikeOp<mnemonic, [AllElementTypesMatch<["input", "weight"]>] # traits> {
  dag tensors = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$weight,
                     Optional<Graph_FloatTensor>:$bias);
  code tensorSyntax = "$input `,` $weight (`bias` $bias^)? ";
  let extraClassDeclaration = words # [{
    /// AutocastOpInterface: a bias of another type than the operands keeps it.
    bool isRetypeable(unsigned index);
  }];
  let hasCanonicalizeMethod = 1;
}

def Graph_ConvolutionOp : Graph_BiasedConvolutionOp<"convolution",
    [AlsoCalled<["conv", "conv1d", "conv2d", "conv3d"]>]> {
  let summary = "weighted sums over windows of the input";
  let description = [{
    One to three dims of space, at each place of which there are channels. Input and
    result are [batch, channels, space...], the weight is [output channels, input
    channels / groups, kernel...]; if `channels_last`, [batch, space..., channels] and
    [output channels, kernel..., input channels / groups]. The kernel is not turned
    around (PyTorch, ONNX).

    A window begins every `strides` elements, takes every `dilations`-th element,
    and may reach over `low` zeros before the input and `high` behind it; `same`
    chooses those, the larger half behind, so that the result has
    ceil(size / stride) elements. With `groups`, the channels are divided, and each
    group of outputs reads one of inputs; as many groups as channels make a
    depthwise convolution. Products of f16 and bf16 are accumulated in f32 and
    rounded once; `dtype` is as in `matmul`.

    A bias has an element for each channel of the result, and a missing one is 0.
    Autocast takes it as that of `matmul`. It is added to what is accumulated, and the
    sum is rounded once. A convolution that is a product of matrices, with a kernel of 1
    and its channels last, adds it as `matmul` does.

    `result[n, o, p] = sum_c sum_k input[n, group(o) * C + c, p * stride + k * dilation - low] * weight[o, c, k] + bias[o] where C is the number of channels of a group`

    - C1: the input has rank 3, 4 or 5, and the weight the same
    - C2: `strides`, `low`, `high` and `dilations` have a number for each dim of space; strides and dilations are 1 or more, `low` and `high` 0 or more
    - C3: `same` stands without `low` and `high`
    - C4: `groups` is 1 or more and divides the channels of input and result, and the weight has those of one group
    - C5: the kernel, dilated, is at most as long as the input with its zeros
    - C6: input and weight have one element type; `dtype` is f64 exactly if they have
    - C7: the bias has rank 1 and an element for each channel of the result
    - C8: the bias is f64 exactly if input and weight are

    ```mlir
    %y = graph.convolution %x, %w strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<8x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<8x16x16x16xf32>
    %z = graph.convolution %x, %w bias %b same : (tensor<8x3x32x32xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<8x16x32x32xf32>
    ```
  }];
  let arguments = !con(tensors, (ins UnitAttr:$same), windowArguments);
  let syntax = tensorSyntax # "(`same` $same^)? " # windowSyntax;
}

def Graph_TransposedConvolutionOp : Graph_BiasedConvolutionOp<"transposed_convolution",
    [AlsoCalled<["conv_transpose", "deconvolution"]>]> {
  let summary = "windows of the result, each the weights times an element of the input";
  let description = [{
    The gradient of `convolution` for its input, and an op of its own in decoders
    and generators (PyTorch's `conv_transpose2d`, ONNX' ConvTranspose). The weight is that
    of the convolution from the result back to the input: [input channels,
    output channels / groups, kernel...], or with those of the output last. `strides`, `low`, `high`, `dilations` and
    `groups` are those of that convolution, so `low` and `high` cut off. `sizes` says
    which result is meant where several sizes of space give the input's; by default
    it is the smallest. A bias is as that of `convolution`, but that on GPUs, where
    `rounding` is fused and input, bias and result are all f16 or all bf16, what is
    accumulated is rounded before, too.

    `result[n, o, p * stride + k * dilation - low] = sum over p, c and k of input[n, c, p] * weight[c, o, k], plus bias[o]`

    - C1: the input has rank 3, 4 or 5, and the weight the same
    - C2: `strides`, `low`, `high` and `dilations` have a number for each dim of space; strides and dilations are 1 or more, `low` and `high` 0 or more
    - C3: `groups` is 1 or more and divides the channels of the input, of which the weight has all
    - C4: a convolution of a result of `sizes` has the size of the input
    - C5: input and weight have one element type; `dtype` is f64 exactly if they have
    - C6: the bias has rank 1 and an element for each channel of the result
    - C7: the bias is f64 exactly if input and weight are

    ```mlir
    %y = graph.transposed_convolution %x, %w sizes = [32, 32] strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<8x16x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<8x3x32x32xf32>
    ```
  }];
  let arguments = !con(tensors, (ins OptionalAttr<DenseI64ArrayAttr>:$sizes), windowArguments);
  let syntax = tensorSyntax # "(`sizes` `=` $sizes^)? " # windowSyntax;
}

def Graph_ConvolutionWeightGradientOp : Graph_ConvolutionLikeOp<"convolution_weight_gradient",
    [WritesInPlace, SameOperandsElementType]> {
  let summary = "the gradient of a convolution for its weight";
  let description = [{
    Products of input and cotangent of a `convolution`, summed over the places
    of the windows, for each weight. `kernel` is its size in space; the rest is
    said as there.

    `result[o, c, k] = sum_n sum_p input[n, group(o) * C + c, p * stride + k * dilation - low] * cotangent[n, o, p]`

    - C1: the input has rank 3, 4 or 5, and the cotangent the same
    - C2: `strides`, `low`, `high`, `dilations` and `kernel` have a number for each dim of space; strides, dilations and kernel are 1 or more, `low` and `high` 0 or more
    - C3: `groups` is 1 or more and divides the channels of input and cotangent
    - C4: a convolution of the input by such a kernel has the size of the cotangent
    - C5: operands have one element type; `dtype` is f64 exactly if they have

    ```mlir
    %dw = graph.convolution_weight_gradient %x, %dy kernel = [3, 3] low = [1, 1] high = [1, 1] : (tensor<8x3x32x32xf32>, tensor<8x16x32x32xf32>) -> tensor<16x3x3x3xf32>
    ```
  }];
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$cotangent,
                            DenseI64ArrayAttr:$kernel), windowArguments);
  let syntax = "$input `,` $cotangent `kernel` `=` $kernel " # windowSyntax;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_CONVOLUTION_TD
