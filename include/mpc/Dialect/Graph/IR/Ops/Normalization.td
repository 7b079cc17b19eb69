// Family Normalization: rows, channels and groups of them, rescaled by their own
// statistics.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/DimsOpInterfaces.td"
include "mpc/Interfaces/TrainingOpInterfaces.td"

/// `formula` computes `result[i]` from `x = input[i]`, j running along `dim`.
class Graph_SoftmaxLikeOp<string mnemonic, string meaning, string formula>
    : Graph_InferredOp<mnemonic, DenyIO,
        AutocastLists<Fp32SetOptDtype, Fallthrough, Fp32, TfInfer, TfInfer>,
                       HasVjp, [Composite]> {
  let description = meaning # [{ The largest input of the row is subtracted first, so that
nothing overflows; arithmetic is f32 (f64 if input or result is). `dtype` is the
element type of the result, by default the input's.

`result[i] = }] # formula # [{ where x = input[i], j runs along dim`

- C1: `dim` is less than the rank
- C2: the result has the input's shape

```mlir
%y = graph.}] # mnemonic # [{ %x dim = 1 dtype = f32 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
```
}];
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$dim,
                       Graph_DTypeAttr:$dtype);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input `dim` `=` $dim (`dtype` `=` $dtype^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax",
    "Exponentials divided by their sum along a dim.", "e^x / sum_j e^input[j]"> {
  let summary = "exponentials that sum to one along a dim";
}
def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax",
    "The logarithm of softmax, without its underflow.", "x - ln(sum_j e^input[j])"> {
  let summary = "logarithm of softmax along a dim";
}

def Graph_LayerNormOp : Graph_InferredOp<"layer_norm", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite, AttrSizedOperandSegments]> {
  let summary = "rows with mean 0 and variance 1, then scaled and shifted";
  let description = [{
    A row is the dims from `first_dim` on. Mean and (biased) variance are those
    of the row, in f32 (f64 for f64). A missing weight is 1, a missing bias 0.
    Weight and bias may be wider or narrower than the input, as those that a
    model keeps in f32 beside a 16-bit input.

    `result[r, i] = (input[r, i] - mean_r) / sqrt(variance_r + epsilon) * weight[i] + bias[i]`

    - C1: `first_dim` is less than the rank
    - C2: weight and bias have the shape of a row
    - C3: the result has the input's type, and no operand is f64 unless all are
    - C4: `epsilon` is finite and not negative

    ```mlir
    %y = graph.layer_norm %x weight %w bias %b first_dim = 1 epsilon = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias, I64Attr:$first_dim,
                       DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `first_dim` `=` $first_dim
    (`epsilon` `=` custom<RealAttr>($epsilon)^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// AutocastOpInterface: Apex O2 and its like keep it f32.
    static bool isNormalization() { return true; }
    bool takesMixedTypes() { return true; }
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormOp : Graph_InferredOp<"rms_norm", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fallthrough, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite]> {
  let summary = "rows with mean square 1, then scaled";
  let description = [{
    A row is the dims from `first_dim` on. Its mean square is taken in f32 (f64
    for f64) in every precision; nothing is subtracted. A missing weight is 1;
    it may be wider or narrower than the input. PyTorch's default epsilon is
    that of the type; here it is a number, 1e-5 if it is not given.

    `result[r, i] = input[r, i] / sqrt(mean_j input[r, j]^2 + epsilon) * weight[i]`

    - C1: `first_dim` is less than the rank
    - C2: the weight has the shape of a row
    - C3: the result has the input's type, and no operand is f64 unless all are
    - C4: `epsilon` is finite and not negative

    ```mlir
    %y = graph.rms_norm %x weight %w first_dim = 1 epsilon = 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       I64Attr:$first_dim, DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input (`weight` $weight^)? `first_dim` `=` $first_dim
    (`epsilon` `=` custom<RealAttr>($epsilon)^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// AutocastOpInterface: as layer_norm, it is kept f32 with its kind.
    static bool isNormalization() { return true; }
    bool takesMixedTypes() { return true; }
  }];
  let hasVerifier = 1;
}

//===-- Of channels -------------------------------------------------------===//

/// An op that rescales the channels of an input [batch, channels, space...].
class Graph_ChannelNormOp<string mnemonic, AutocastLists lists, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, DenyIO, lists, HasVjp,
                       [Composite, HasFollowingChannels, AttrSizedOperandSegments] # traits> {
  let results = (outs Graph_FloatTensor:$result);
  /// AutocastOpInterface: as layer_norm, it is kept f32 with its kind.
  code words = [{
    static bool isNormalization() { return true; }
    bool takesMixedTypes() { return true; }
  }];
  let extraClassDeclaration = words;
  let hasVerifier = 1;
}

def Graph_GroupNormOp : Graph_ChannelNormOp<"group_norm",
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfUnlisted>> {
  let summary = "groups of channels with mean 0 and variance 1 in each sample";
  let description = [{
    The channels of a sample are divided into `groups`. Mean and (biased) variance
    are those of a group, over its channels and all of space, in f32 (f64 for
    f64). Weight and bias have a number for each channel; a missing weight is 1, a
    missing bias 0. They may be wider or narrower than the input. The input is
    [batch, channels, space...], if `channels_last` [batch, space..., channels].
    Wu and He, Group Normalization (2018).

    `result[n, c, p] = (input[n, c, p] - mean_ng) / sqrt(variance_ng + epsilon) * weight[c] + bias[c] where g is the group of c`

    - C1: the input has rank 2, 3, 4 or 5
    - C2: weight and bias have a number for each channel
    - C3: the result has the input's type, and no operand is f64 unless all are
    - C4: `epsilon` is finite and not negative
    - C5: `groups` is 1 or more and divides the channels

    ```mlir
    %y = graph.group_norm %x weight %w bias %b groups = 2 epsilon = 1.0e-5 : (tensor<4x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x6x6xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias, I64Attr:$groups,
                       DefaultValuedAttr<F64Attr, "1e-5">:$epsilon, UnitAttr:$channels_last);
  let syntax = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `groups` `=` $groups
    (`epsilon` `=` custom<RealAttr>($epsilon)^)? (`channels_last` $channels_last^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_InstanceNormOp : Graph_ChannelNormOp<"instance_norm",
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfUnlisted, TfUnlisted>> {
  let summary = "channels with mean 0 and variance 1 in each sample";
  let description = [{
    As `group_norm` with a group for each channel (Ulyanov et al., 2016). It keeps
    no running statistics.

    `result[n, c, p] = (input[n, c, p] - mean_nc) / sqrt(variance_nc + epsilon) * weight[c] + bias[c]`

    - C1: the input has rank 3, 4 or 5
    - C2: weight and bias have a number for each channel
    - C3: the result has the input's type, and no operand is f64 unless all are
    - C4: `epsilon` is finite and not negative

    ```mlir
    %y = graph.instance_norm %x weight %w bias %b : (tensor<4x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x6x6xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias,
                       DefaultValuedAttr<F64Attr, "1e-5">:$epsilon, UnitAttr:$channels_last);
  let syntax = [{
    $input (`weight` $weight^)? (`bias` $bias^)? (`epsilon` `=` custom<RealAttr>($epsilon)^)?
    (`channels_last` $channels_last^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_BatchNormOp : Graph_ChannelNormOp<"batch_norm",
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfInfer, TfInfer>,
    [HasRunningStatistics, AlsoCalled<["batch_normalization", "fused_batch_norm", "sync_batch_norm"]>]> {
  let summary = "channels with mean 0 and variance 1 in the batch";
  let description = [{
    In training, mean and (biased) variance are those of a channel over all
    samples and all of space, in f32 (f64 for f64) in every precision. Each
    run moves the running statistics towards them: those that are states of the
    model, arguments marked `graph.state` with the role `running_statistic`.
    There the variance is unbiased, the sum of squares divided by n - 1, n being
    the values of a channel (PyTorch), or with `population` divided by n (ONNX).
    `momentum` is PyTorch's; ONNX' is 1 - momentum.

    In the entry `forward`, which evaluates a model, mean and variance are the
    running ones, as everywhere if `inference` (a model that keeps them frozen).
    Without running statistics they are those of the batch there, too. The gradient
    knows what they depend on: the batch, or nothing.

    If `synchronized`, the batch is that of all ranks together (PyTorch's
    SyncBatchNorm): mean, variance, n and what the gradient sums are those of all
    samples of a step, by three small messages for each op
    (`sum_over_ranks`). All ranks have equally many samples, one or more values of a
    channel; where they are one value in all, n - 1 counts as 1.

    Weight and bias have a number for each channel; a missing weight is 1, a
    missing bias 0. They may be wider or narrower than the input. The input is
    [batch, channels, space...], with no dim of space to three, if `channels_last`
    [batch, space..., channels]. Ioffe and Szegedy, Batch Normalization (2015).
    [Recipes](Recipes.md#batch-norm) shows a model.

    `result[n, c, p] = (input[n, c, p] - mean_c) / sqrt(variance_c + epsilon) * weight[c] + bias[c]`

    `next running_c = (1 - momentum) * running_c + momentum * statistic_c`

    - C1: the input has rank 2, 3, 4 or 5
    - C2: weight, bias and running statistics have a number for each channel
    - C3: the result has the input's type, and no operand is f64 unless all are; running statistics are f32 or f64
    - C4: `epsilon` is finite and not negative
    - C5: `momentum` is in [0, 1]
    - C6: there are a running mean and a running variance or none, and both if `inference`; they are not one argument
    - C7: there are running statistics if `synchronized`, and that stands without `inference`

    ```mlir
    %y = graph.batch_norm %x weight %w bias %b running %mean, %variance momentum = 0.1 epsilon = 1.0e-5 : (tensor<4x8x6x6xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x6x6xbf16>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias, Optional<Graph_WideTensor>:$running_mean,
                       Optional<Graph_WideTensor>:$running_variance,
                       DefaultValuedAttr<F64Attr, "0.1">:$momentum,
                       DefaultValuedAttr<F64Attr, "1e-5">:$epsilon, UnitAttr:$population,
                       UnitAttr:$inference, UnitAttr:$synchronized, UnitAttr:$channels_last);
  let syntax = [{
    $input (`weight` $weight^)? (`bias` $bias^)? (`running` $running_mean^ `,` $running_variance)?
    (`momentum` `=` custom<RealAttr>($momentum)^)? (`epsilon` `=` custom<RealAttr>($epsilon)^)?
    (`population` $population^)? (`inference` $inference^)? (`synchronized` $synchronized^)?
    (`channels_last` $channels_last^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = words # [{
    /// AutocastOpInterface: the input alone. All that is of channels stays f32.
    bool isRetypeable(unsigned index);
    /// Whether mean and variance are those of the batch.
    bool usesBatch() { return !getInference(); }
  }];
}

//===-- What these are made of --------------------------------------------===//

/// Sums over space, and over the batch unless `per_sample`, for each channel.
class Graph_ChannelFoldOp<string mnemonic>
    : Graph_InferredOp<mnemonic, DenyIO, Unlisted, NoGradient, [Composite, HasFollowingChannels]>;

def Graph_ChannelMomentsOp : Graph_ChannelFoldOp<"channel_moments"> {
  let summary = "mean and variance of each channel";
  let description = [{
    Over space and all samples, or `per_sample`; results have a number for each
    channel, or [batch, channels]. The variance is the mean of the squares of the
    differences from the mean; sums are made in f32 (f64 for f64), in parts whose
    means are subtracted first, so that nothing cancels and the input is read
    once (Chan, Golub and LeVeque, 1979). If `synchronized`, they are those of the
    samples of all ranks, which have equally many.

    `mean[c] = 1/n * sum input[., c, .], variance[c] = 1/n * sum (input[., c, .] - mean[c])^2`

    - C1: the input has rank 2, 3, 4 or 5
    - C2: `synchronized` stands without `per_sample`

    ```mlir
    %mean, %variance = graph.channel_moments %x : (tensor<4x8x6x6xbf16>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, UnitAttr:$per_sample, UnitAttr:$synchronized,
                       UnitAttr:$channels_last);
  let results = (outs Graph_WideTensor:$mean, Graph_WideTensor:$variance);
  let syntax = [{
    $input (`per_sample` $per_sample^)? (`synchronized` $synchronized^)? (`channels_last` $channels_last^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_ChannelSumsOp : Graph_ChannelFoldOp<"channel_sums"> {
  let summary = "sums of each channel for the gradient of its normalization";
  let description = [{
    What the gradient of a normalisation of channels sums, each tensor read once.
    Results are as those of `channel_moments`, from which the mean is.

    `total[c] = sum cotangent[., c, .], product[c] = sum cotangent[., c, .] * (input[., c, .] - mean[c])`

    - C1: the input has rank 2, 3, 4 or 5
    - C2: the cotangent has the input's shape, and the mean that of the results
    - C3: no operand is f64 unless all are

    ```mlir
    %total, %product = graph.channel_sums %x, %dy mean %mean : (tensor<4x8x6x6xbf16>, tensor<4x8x6x6xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$cotangent,
                       Graph_WideTensor:$mean, UnitAttr:$per_sample, UnitAttr:$channels_last);
  let results = (outs Graph_WideTensor:$total, Graph_WideTensor:$product);
  let syntax = [{
    $input `,` $cotangent `mean` $mean (`per_sample` $per_sample^)?
    (`channels_last` $channels_last^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = "bool takesMixedTypes() { return true; }";
  let hasVerifier = 1;
}

def Graph_MovingAverageOp : Graph_Op<"moving_average", DenyIO, Unlisted, NoGradient,
    [Composite, IsMovingAverage, SameOperandsAndResultType]> {
  let summary = "a running statistic, moved towards that of a batch";
  let description = [{
    What a step makes of a running statistic. If `synchronized`, the statistic is
    that of the samples of all ranks.

    `result[i] = (1 - momentum) * running[i] + momentum * statistic[i]`

    - C1: operands and result have one type
    - C2: `momentum` is in [0, 1]

    ```mlir
    %next = graph.moving_average %running, %statistic momentum = 0.1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_WideTensor:$running, Graph_WideTensor:$statistic, F64Attr:$momentum,
                       UnitAttr:$synchronized);
  let results = (outs Graph_WideTensor:$result);
  let syntax = [{
    $running `,` $statistic `momentum` `=` custom<RealAttr>($momentum)
    (`synchronized` $synchronized^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_TD
