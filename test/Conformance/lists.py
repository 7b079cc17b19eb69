"""Fails if a word on an op record contradicts the list of the system that it is taken from.

usage: lists.py (reads the rows of mpc-op-table from the standard input)

An op is looked up under the names that it has in each system. Where a system builds it from several ops, the strictest
of their places counts; a name in no list is unlisted.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
import autocast_lists as lists

# op: (names in PyTorch, names in Apex if they differ, names in TensorFlow)
NAMES = {
    "matmul": ("matmul", None, "MatMul BatchMatMulV2"),
    "add": ("add", None, "AddV2"),
    "sub": ("sub", None, "Sub"),
    "mul": ("mul", None, "Mul"),
    "div": ("div", None, "RealDiv"),
    "pow": ("pow", None, "Pow"),
    "maximum": ("maximum", None, "Maximum"),
    "minimum": ("minimum", None, "Minimum"),
    "neg": ("neg", None, "Neg"),
    "abs": ("abs", None, "Abs"),
    "exp": ("exp", None, "Exp"),
    "log": ("log", None, "Log"),
    "sqrt": ("sqrt", None, "Sqrt"),
    "rsqrt": ("rsqrt", None, "Rsqrt"),
    "erf": ("erf", None, "Erf"),
    "tanh": ("tanh", None, "Tanh"),
    "sigmoid": ("sigmoid", None, "Sigmoid"),
    "relu": ("relu", None, "Relu"),
    "expm1": ("expm1", None, "Expm1"),
    "log1p": ("log1p", None, "Log1p"),
    "sin": ("sin", None, "Sin"),
    "cos": ("cos", None, "Cos"),
    "reciprocal": ("reciprocal", None, "Reciprocal"),
    "floor": ("floor", None, "Floor"),
    "ceil": ("ceil", None, "Ceil"),
    "round": ("round", None, "Round"),
    "sign": ("sign", None, "Sign"),
    "clamp": ("clamp", None, "ClipByValue"),
    "is_nan": ("isnan", None, "IsNan"),
    "is_inf": ("isinf", None, "IsInf"),
    "logical_and": ("logical_and", None, "LogicalAnd"),
    "logical_or": ("logical_or", None, "LogicalOr"),
    "logical_not": ("logical_not", None, "LogicalNot"),
    "stop_gradient": ("detach", None, "StopGradient"),
    # tf.nn.silu: x * sigmoid(x); tf.keras builds the last three of these from others, too.
    "silu": ("silu", None, "Mul Sigmoid"),
    "mish": ("mish", None, "Mul Tanh Softplus"),
    "hardsigmoid": ("hardsigmoid", None, "AddV2 Relu6 Mul"),
    "hardswish": ("hardswish", None, "AddV2 Relu6 Mul"),
    "leaky_relu": ("leaky_relu", None, "LeakyRelu"),
    "elu": ("elu", None, "Elu"),
    "softplus": ("softplus", None, "Softplus"),
    # tf.nn.gelu: 0.5 * x * (1 + erf(x / sqrt(2))).
    "gelu": ("gelu", None, "Mul AddV2 Erf"),
    # As its primal.
    "gelu_backward": ("gelu", None, "Mul AddV2 Erf"),
    "compare": ("eq", None, "Equal"),
    "select": ("where", None, "SelectV2"),
    "sum": ("sum", None, "Sum"),
    "prod": ("prod", None, "Prod"),
    "cumsum": ("cumsum", None, "Cumsum"),
    "mean": ("mean", None, "Mean"),
    "max": ("amax", None, "Max"),
    "min": ("amin", None, "Min"),
    "any": ("any", None, "Any"),
    "all": ("all", None, "All"),
    # tf.reduce_logsumexp: log(sum(exp(x - max))) + max.
    "logsumexp": ("logsumexp", None, "Log Sum Exp Sub Max AddV2"),
    # tf.math.reduce_variance: the mean of squares of differences from the mean.
    "var": ("var", None, "Mean Square Sub"),
    # tf.norm: sqrt(sum(x * x)).
    "norm": ("norm", None, "Sqrt Sum Mul"),
    "max_with_index": ("max", None, "Max"),
    "min_with_index": ("min", None, "Min"),
    "argmax": ("argmax", None, "ArgMax"),
    "argmin": ("argmin", None, "ArgMin"),
    # tf.linalg.global_norm: the root of a sum of L2Loss.
    "global_norm": ("norm", None, "L2Loss"),
    "softmax": ("softmax", None, "Softmax"),
    "log_softmax": ("log_softmax", None, "LogSoftmax"),
    # tf.keras builds it from unlisted ops as well, which block every colour.
    "layer_norm": ("layer_norm", None, "LayerNormalization"),
    "rms_norm": ("rms_norm", None, "RMSNormalization"),
    "group_norm": ("group_norm", None, "GroupNormalization"),
    "instance_norm": ("instance_norm", None, "InstanceNormalization"),
    "batch_norm": ("batch_norm", None, "FusedBatchNormV3"),
    # PyTorch on CUDA: log_softmax, then nll_loss.
    "cross_entropy": ("nll_loss cross_entropy_loss", "cross_entropy", "SparseSoftmaxCrossEntropyWithLogits"),
    # TensorFlow has the square of a difference summed under one name: L2Loss.
    "mse": ("mse_loss", None, "L2Loss"),
    "l1": ("l1_loss", None, "Mean Abs Sub"),
    "smooth_l1": ("smooth_l1_loss", None, ""),
    "huber": ("huber_loss", None, "Mean Abs Sub Mul"),
    "kl_div": ("kl_div", None, "Sum Mul Log"),
    "nll": ("nll_loss", None, ""),
    # tf.nn.sigmoid_cross_entropy_with_logits: log1p(exp(-abs(x))) and products.
    "binary_cross_entropy_with_logits": ("binary_cross_entropy_with_logits", None, "Exp Log1p Mul Sub"),
    # PyTorch on CUDA: log_softmax in f32, to which products and sums are promoted; as nll_loss.
    "soft_cross_entropy": ("nll_loss cross_entropy_loss", "cross_entropy", "SoftmaxCrossEntropyWithLogits"),
    "binary_cross_entropy": ("binary_cross_entropy", None, "BinaryCrossentropy"),
    "reshape": ("reshape", None, "Reshape"),
    "transpose": ("permute", None, "Transpose"),
    "broadcast": ("expand", None, "BroadcastTo"),
    "slice": ("slice", None, "Slice StridedSlice"),
    "pad": ("constant_pad_nd", None, "PadV2"),
    "concat": ("cat", None, "ConcatV2"),
    "stack": ("stack", None, "Pack"),
    "split": ("split", None, "SplitV"),
    "flip": ("flip", None, "ReverseV2"),
    "tile": ("tile", None, "Tile"),
    "reflection_pad": ("reflection_pad1d", None, "MirrorPad"),
    # TensorFlow has no such pad.
    "replication_pad": ("replication_pad1d", None, ""),
    "scaled_dot_product_attention": ("scaled_dot_product_attention", None, ""),
    "scaled_dot_product_attention_backward": ("scaled_dot_product_attention", None, ""),
    "convolution": ("conv2d", None, "Conv2D"),
    "transposed_convolution": ("conv_transpose2d", None, "Conv2DBackpropInput"),
    # PyTorch's backward runs in what the forward ran in.
    "convolution_weight_gradient": ("conv2d", None, "Conv2DBackpropFilter"),
    # Where no fused layer exists, PyTorch and Apex build them from linear.
    "rnn": ("rnn_tanh_cell rnn_relu_cell linear", None, "CudnnRNN"),
    "lstm": ("lstm_cell mkldnn_rnn_layer linear", None, "CudnnRNN"),
    "gru": ("gru_cell linear", None, "CudnnRNN"),
    "rnn_backward": ("rnn_tanh_cell rnn_relu_cell linear", None, "CudnnRNNBackprop"),
    "lstm_backward": ("lstm_cell mkldnn_rnn_layer linear", None, "CudnnRNNBackprop"),
    "gru_backward": ("gru_cell linear", None, "CudnnRNNBackprop"),
    "max_pool": ("max_pool2d", None, "MaxPool"),
    "max_pool_gradient": ("max_pool2d", None, "MaxPoolGrad"),
    "adaptive_max_pool": ("adaptive_max_pool2d", None, "MaxPool"),
    "average_pool": ("avg_pool2d", None, "AvgPool"),
    "adaptive_average_pool": ("adaptive_avg_pool2d", None, "AvgPool"),
    "resize_nearest": ("upsample_nearest2d", "interpolate", "ResizeNearestNeighbor"),
    "resize_linear": ("upsample_bilinear2d", "interpolate", "ResizeBilinear"),
    "resize_cubic": ("upsample_bicubic2d", "interpolate", "ResizeBicubic"),
    # Of all three: the strictest.
    "resize_gradient": ("upsample_nearest2d upsample_bilinear2d", "interpolate", ""),
    "pixel_shuffle": ("pixel_shuffle", None, "DepthToSpace"),
    "pixel_unshuffle": ("pixel_unshuffle", None, "SpaceToDepth"),
    "dropout": ("dropout", None, "Dropout"),
    "gather": ("index_select embedding", None, "GatherV2"),
    "gather_elements": ("gather", None, "GatherNd"),
    "segment_sum": ("scatter_add", None, "UnsortedSegmentSum"),
    "scatter_add": ("scatter_add", None, "TensorScatterAdd"),
    "one_hot": ("one_hot", None, "OneHot"),
}

# Strictest first.
TORCH_ORDER = ["banned", "fp32", "fp32_set_opt_dtype", "fp32_append_dtype", "promote", "lower_precision_fp"]
TF_ORDER = ["deny", "infer", "clear", "allow"]


def place(system, names, order, otherwise):
    for word in order:
        if any(name in system.get(word, ()) for name in names.split()):
            return word
    return otherwise


def expected(op):
    torch, apex, tensorflow = NAMES.get(op, ("", None, ""))
    return [place(lists.TORCH_CUDA, torch, TORCH_ORDER, "fallthrough"),
            place(lists.TORCH_CPU, torch, TORCH_ORDER, "fallthrough"),
            place(lists.APEX_O1, apex or torch, TORCH_ORDER, "fallthrough"),
            place(lists.TF_FP16, tensorflow, TF_ORDER, "unlisted"),
            place(lists.TF_BF16, tensorflow, TF_ORDER, "unlisted")]


def check_lists():
    """Each name has one place in each system."""
    for system in (lists.TORCH_CUDA, lists.TORCH_CPU, lists.APEX_O1, lists.TF_FP16, lists.TF_BF16):
        names = [name for place in system.values() for name in place]
        assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)


def main():
    check_lists()
    rows = {row[0].removeprefix("graph."): row[2:7] for row in (line.strip().split(" | ") for line in sys.stdin)}
    errors = [f"graph.{op}: expected {expected(op)}, but got {words}"
              for op, words in rows.items() if words != expected(op)]
    errors += [f"{op}: no op of this name" for op in NAMES if op not in rows]
    print("\n".join(errors) or f"{len(rows)} ops agree with the lists")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
