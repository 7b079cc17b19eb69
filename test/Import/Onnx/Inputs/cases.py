"""Cases of nodes for onnx-nodes, with results from their formulas: cases.py FOLDER

Beside numbers that ONNX's own tests do not have (large ones, infinities, what a file may say in another order) these are
the ops of opsets from 18 on, which Debian's tests lack. Expected values are computed in f64.
"""
import math
import pathlib
import sys

import numpy as np

from wire import node, save_case

FOLDER = pathlib.Path(sys.argv[1])
INF, NAN, LARGEST = np.inf, np.nan, np.finfo(np.float32).max
ERF = np.vectorize(math.erf)
random = np.random.default_rng(7)


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


def floats(values):
    return np.array(values, dtype=np.float32)


def case(name, op, inputs, outputs, known=(), opset=17, **attributes):
    """One node: its operands are inputs or, where their place is in `known`, initializers; None is one that is missing."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(inputs)]
    given = [(names[i], array) for i, array in enumerate(inputs) if array is not None and i not in known]
    results = [(f"y{i}", array) for i, array in enumerate(outputs)]
    save_case(FOLDER, name, [node(op, names, [key for key, _ in results], **attributes)], given, results,
              [(names[i], inputs[i]) for i in known], opset=opset)


def integers():
    """Quotients of int64, which f64 does not have, beside ones of int32."""
    for kind in (np.int64, np.int32):
        low, high = (int(bound) for bound in (np.iinfo(kind).min, np.iinfo(kind).max))
        edges = [low, low + 1, -low // 3, -7, -1, 0, 1, 7, high // 3, high - 1, high]
        pairs = [(a, b) for a in edges for b in edges if b != 0 and (a, b) != (low, -1)]
        pairs += [(int(a) >> int(i), (int(b) >> int(j)) or 1) for a, b, i, j in zip(
            *(random.integers(low, high, 300, dtype=kind) for _ in range(2)), *(random.integers(0, 60, 300) for _ in range(2)))]
        a, b = (np.array(column, dtype=kind) for column in zip(*pairs))
        floored = np.array([x % y for x, y in pairs], dtype=kind)
        truncated = np.array([(abs(x) % abs(y)) * (1 if x > 0 else -1) for x, y in pairs], dtype=kind)
        quotient = np.array([abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs], dtype=kind)
        name = kind.__name__
        case(f"div_{name}", "Div", [a, b], [quotient])
        case(f"mod_{name}", "Mod", [a, b], [floored])
        case(f"fmod_{name}", "Mod", [a, b], [truncated], fmod=1)
        signed = [low, -3, -1, 0, 1, high]
        case(f"sign_{name}", "Sign", [np.array(signed, dtype=kind)], [np.array([-1, -1, -1, 0, 1, 1], dtype=kind)])
    x = np.array([-3, 1 << 31], dtype=np.int64)
    case("square_int64", "Pow", [x, np.array(2, dtype=np.int64)], [x * x], (1,))


def scatters():
    """Reductions of ScatterElements: the neighbours of nodes."""
    x, updates, indices = numbers(4, 3), numbers(6, 3), random.integers(-4, 4, (6, 3))
    indices[indices == 3] = 1  # a place that gets nothing
    for reduction, join in (("max", np.maximum), ("min", np.minimum), ("mul", np.multiply)):
        y = x.copy()
        for row in range(6):
            for column in range(3):
                place = indices[row, column], column
                y[place] = join(y[place], updates[row, column])
        case(f"scatter_{reduction}", "ScatterElements", [x, indices, updates], [y], opset=18, reduction=reduction)
        case(f"scatter_{reduction}_rows", "ScatterElements", [x.T.copy(), indices.T.copy(), updates.T.copy()], [y.T.copy()],
             opset=18, axis=1, reduction=reduction)


def like(x, y):
    return np.asarray(y).astype(np.asarray(x).dtype)


def functions():
    x = floats([-88, -20, -10, -8, -1, -1e-3, -1e-6, 0, 1e-6, 0.3, 1, 8, 20, 88.9])
    case("sinh", "Sinh", [x], [like(x, np.sinh(x.astype(float)))])
    case("cosh", "Cosh", [x], [like(x, np.cosh(x.astype(float)))])
    x = floats([-3e38, -1e20, -300, -1.5, -1, -0.5, -1e-4, 0, 1e-5, 1, 2, 1e4, 2e19, 3e38, INF])
    case("asinh", "Asinh", [x], [like(x, np.arcsinh(x.astype(float)))])
    x = floats([1, 1.0001, 1.5, 2, 3, 255, 1e10, 2e19, 3e38, INF])
    case("acosh", "Acosh", [x], [like(x, np.arccosh(x.astype(float)))])
    x = np.array([200, 300, -200], dtype=np.float16)
    case("asinh_half", "Asinh", [x], [like(x, np.arcsinh(x.astype(float)))])
    x = floats([-INF, -2, 0, 3, INF, NAN])
    case("sign_nan", "Sign", [x], [floats([-1, -1, 0, 1, 1, NAN])])
    case("clip_inf", "Clip", [x, floats(-LARGEST), floats(LARGEST)], [floats([-LARGEST, -2, 0, 3, LARGEST, NAN])], (1, 2))
    case("clip_none", "Clip", [x, floats(-INF), floats(INF)], [x], (1, 2))
    case("clip_large_min", "Clip", [floats([1, INF]), floats(LARGEST)], [floats([LARGEST, INF])], (1,))
    # A row that is masked from end to end is no NaN.
    row = floats([[-INF, -INF, -INF], [0, -INF, 0]])
    save_case(FOLDER, "clip_softmax", [node("Clip", ["x", "low"], ["c"]), node("Softmax", ["c"], ["y"])], [("x", row)],
              [("y", floats([[1 / 3, 1 / 3, 1 / 3], [0.5, 0, 0.5]]))], [("low", floats(-LARGEST))])
    base = np.array([3, 8, 2, 3, -3, 27], dtype=np.int32)
    exponent = floats([0.5, 0.5, 1.5, 2, 3, 0.25])
    case("pow_root", "Pow", [base, exponent],
         [np.trunc(base.astype(float) ** exponent.astype(float)).astype(np.int32)])


def places():
    x = floats([[1, -INF, -INF, 2, 0], [-INF] * 5, [5, 4, 5, -INF, -LARGEST], [INF, -INF, INF, 3, INF]])
    for name, sign, largest in (("topk_largest", -1, 1), ("topk_smallest", 1, 0)):
        order = np.argsort(sign * x.astype(float), axis=1, kind="stable")
        for k in (1, 5):
            case(f"{name}_{k}", "TopK", [x, np.array([k])], [np.take_along_axis(x, order, 1)[:, :k], order[:, :k]], (1,),
                 largest=largest)
    table = numbers(5, 3)
    indices = np.array([0, -1, 4, -5])
    case("gather_negative_of_weight", "Gather", [table, indices], [table[indices]], (0,))
    # An index beside its dim is none, and no element of the next row.
    x = floats([[1, 2], [3, 4], [5, 6], [7, 8]])
    case("gathernd_beside", "GatherND", [x, np.array([[1, 1], [1, 3], [-1, -2], [0, -3]])], [floats([4, NAN, 7, NAN])])
    case("scatternd_beside", "ScatterND", [x, np.array([[1, 3], [2, 0], [4, -1]]), floats([50, 60, 70])],
         [floats([[1, 2], [3, 4], [60, 6], [7, 8]])])


def shapes():
    x = numbers(2, 3, 4)
    save_case(FOLDER, "split_shape", [node("Shape", ["x"], ["s"]), node("Split", ["s", "sizes"], ["a", "b"], axis=0),
                                      node("Concat", ["b", "a"], ["turned"], axis=0), node("Reshape", ["x", "turned"], ["y"])],
              [("x", x)], [("y", x.reshape(4, 2, 3))], [("sizes", np.array([2, 1]))], opset=17)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    case("centercroppad_order", "CenterCropPad", [x, np.array([3, 6])], [np.pad(x[:, 1:4], ((1, 1), (0, 0)))], (1,), 18,
         axes=[-1, 0])
    case("centercroppad_all", "CenterCropPad", [x, np.array([6, 3])], [np.pad(x[:, 1:4], ((1, 1), (0, 0)))], (1,), 18)
    case("slice_back", "Slice", [x, np.array([-9]), np.array([-99]), np.array([0]), np.array([-1])], [x[0:1]],
         (1, 2, 3, 4))
    case("slice_back_all", "Slice", [x, np.array([99]), np.array([-99]), np.array([1]), np.array([-2])], [x[:, ::-2]],
         (1, 2, 3, 4))
    parts = [x[:, 0:2], x[:, 2:4], x[:, 4:6]]
    case("split_even", "Split", [x], parts, opset=18, axis=1, num_outputs=3)
    uneven = np.arange(7, dtype=np.float32)
    case("split_uneven", "Split", [uneven], [uneven[:3], uneven[3:6], uneven[6:]], opset=18, num_outputs=3)
    case("pad_axes", "Pad", [x, np.array([1, 0, 0, 2]), floats(9), np.array([-1, 0])],
         [np.pad(x, ((0, 2), (1, 0)), constant_values=9)], (1, 2, 3), 18)
    case("pad_wrap", "Pad", [x, np.array([1, 2, 0, 1])], [np.pad(x, ((1, 0), (2, 1)), mode="wrap")], (1,), 19, mode="wrap")
    case("reduce_axes", "ReduceL2", [x, np.array([-1])], [like(x, np.sqrt((x.astype(float) ** 2).sum(1, keepdims=True)))],
         (1,), 18)
    case("reduce_none", "ReduceMax", [x, np.array([], dtype=np.int64)], [x], (1,), 18, noop_with_empty_axes=1)


def resizes():
    x = numbers(1, 2, 5, 7)

    def linear(rows, columns):
        """Corners stay where they are: element o of m lies at o * (n - 1) / (m - 1)."""
        def weights(n, m):
            w = np.zeros((m, n))
            for o in range(m):
                at = o * (n - 1) / (m - 1) if m > 1 else 0
                low = min(int(at), n - 2)
                w[o, low], w[o, low + 1] = 1 - (at - low), at - low
            return w
        return np.einsum("or,ncrk,pk->ncop", weights(5, rows), x.astype(float), weights(7, columns))

    aligned = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    case("resize_corners_scales", "Resize", [x, None, floats([1, 1, 1.5, 1.5])], [like(x, linear(7, 10))], (2,), **aligned)
    case("resize_corners_down", "Resize", [x, None, floats([1, 1, 0.6, 0.45])], [like(x, linear(3, 3))], (2,), **aligned)
    case("resize_axes", "Resize", [x, None, None, np.array([9, 3])], [like(x, linear(3, 9))], (3,), 18, axes=[3, 2],
         **aligned)
    case("resize_symmetric", "Resize", [x, None, floats([1, 1, 2, 2])], [x.repeat(2, 2).repeat(2, 3)], (2,), 19,
         mode="nearest", coordinate_transformation_mode="half_pixel_symmetric")


def folded():
    """What is computed while the model is read: all operands are known."""
    def fold(name, op, inputs, output, opset=17, **attributes):
        case("folded_" + name, op, inputs, [output], tuple(range(len(inputs))), opset, **attributes)

    big = 2 ** 60
    for start, limit, step in ((big + 1, big + 3002, 1000), (big + 1, big + 4, 1), (5, -4, -3), (3, 3, 1), (-2, 2, 7)):
        expected = np.array(range(start, limit, step), dtype=np.int64)
        if expected.size:
            fold(f"range_{start}_{limit}_{step}", "Range", [np.int64(start), np.int64(limit), np.int64(step)], expected)
    fold("range_real", "Range", [floats(1), floats(2), floats(0.3)], floats([1, 1.3, 1.6, 1.9]))
    high = np.array([2 ** 63 + 2048, 3], dtype=np.uint64)
    fold("cast_uint64", "Cast", [high], high.astype(np.float32), to=1)
    # Of uint64 only numbers of other types can be results: by a second node.
    for op, other, expected in (("Max", 5, [2 ** 63 + 2048, 5]), ("Min", 5, [5, 3]), ("Div", 4, [2 ** 61 + 512, 0]),
                                ("Mod", 1000, [(2 ** 63 + 2048) % 1000, 3])):
        save_case(FOLDER, f"folded_uint64_{op}", [node(op, ["a", "b"], ["c"]), node("Cast", ["c"], ["y"], to=11)], [],
                  [("y", np.array(expected, dtype=np.float64))], [("a", high), ("b", np.uint64(other))])
    fold("less_uint64", "Less", [np.array([5, 2 ** 63 + 1], dtype=np.uint64), high], np.array([True, False]))
    x = floats([[1, NAN, 3], [2, 4, -1]])
    for op, last in (("ReduceMax", 4), ("ReduceMin", -1)):
        fold("nan_" + op, op, [x, np.array([1])], floats([NAN, last]), 18, keepdims=0)
    empty = np.zeros((0,), dtype=np.int64)
    fold("prod_of_nothing", "ReduceProd", [empty], np.int64(1), keepdims=0)
    fold("sum_of_nothing", "ReduceSum", [empty], np.int64(0), keepdims=0)
    fold("pow_int64", "Pow", [np.array([3, -2, 2, 1]), np.array([39, 63, -1, -5])],
         np.array([3 ** 39, -2 ** 63, 0, 1], dtype=np.int64))
    fold("pow_root", "Pow", [np.array([8, 3], dtype=np.int32), floats(0.5)], np.array([2, 1], dtype=np.int32))
    a, b = np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])
    fold("mod", "Mod", [a, b], a % b)
    fold("fmod", "Mod", [a, b], np.fmod(a, b), fmod=1)
    fold("div", "Div", [a, b], np.trunc(a / b).astype(np.int64))
    fold("broadcast", "Sub", [np.arange(3), np.arange(2).reshape(2, 1)], np.arange(3) - np.arange(2).reshape(2, 1))
    for op, ufunc in (("Abs", np.abs), ("Neg", np.negative), ("Sign", np.sign)):
        fold(op, op, [a], ufunc(a))
    real = floats([-1.5, -0.5, 0.5, 2.5])
    for op, ufunc in (("Ceil", np.ceil), ("Cos", np.cos), ("Erf", ERF), ("Exp", np.exp), ("Floor", np.floor),
                      ("Neg", np.negative), ("Reciprocal", np.reciprocal), ("Round", np.rint), ("Sin", np.sin),
                      ("Tanh", np.tanh), ("Sigmoid", lambda v: 1 / (1 + np.exp(-v)))):
        fold("real_" + op, op, [real], like(real, ufunc(real.astype(float))))
    for op, ufunc in (("Greater", np.greater), ("GreaterOrEqual", np.greater_equal), ("LessOrEqual", np.less_equal),
                      ("Equal", np.equal), ("Less", np.less)):
        fold("compare_" + op, op, [floats([1, 2, NAN]), floats([2, 2, 2])], ufunc(floats([1, 2, NAN]), floats([2, 2, 2])))
    flags, others = np.array([True, True, False]), np.array([True, False, False])
    for op, ufunc in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
        fold("flags_" + op, op, [flags, others], ufunc(flags, others))


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attend(q, k, v, scale, causal=False, mask=0.0, softcap=0.0):
    """Batch, head, time, width; heads of keys serve as many of queries as are more."""
    k, v = (np.repeat(t, q.shape[1] // k.shape[1], axis=1) for t in (k, v))
    scores = q.astype(float) @ k.astype(float).swapaxes(-1, -2) * scale
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    scores = scores + mask
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return softmax(scores) @ v


def layers():
    a, b, c = numbers(2, 3), numbers(3, 4), numbers(4)
    case("gemm_without_c", "Gemm", [a, b, c], [like(a, 2 * (a.astype(float) @ b))], alpha=2.0, beta=0.0)
    q, k, v = numbers(2, 4, 3, 8), numbers(2, 2, 5, 8), numbers(2, 2, 5, 8)
    case("attention_groups", "Attention", [q, k, v], [like(q, attend(q, k, v, 8 ** -0.5))], opset=23)
    mask = numbers(3, 5)
    case("attention_mask", "Attention", [q, k, v, mask], [like(q, attend(q, k, v, 0.3, mask=mask))], opset=23,
         scale=0.3)
    case("attention_softcap", "Attention", [q, k, v], [like(q, attend(q, k, v, 8 ** -0.5, softcap=0.5))], opset=23,
         softcap=0.5)
    k, v = numbers(2, 4, 3, 8), numbers(2, 4, 3, 8)
    case("attention_causal", "Attention", [q, k, v], [like(q, attend(q, k, v, 8 ** -0.5, causal=True))], opset=23,
         is_causal=1)
    flat = [t.transpose(0, 2, 1, 3).reshape(2, 3, 32) for t in (q, k, v)]
    case("attention_flat", "Attention", flat,
         [like(q, attend(q, k, v, 8 ** -0.5).transpose(0, 2, 1, 3).reshape(2, 3, 32))], opset=23, q_num_heads=4,
         kv_num_heads=4)

    # Pairs of elements turned by the angles of their places.
    cos, sin = numbers(2, 3, 4), numbers(2, 3, 4)
    c, s = (t[:, None].astype(float) for t in (cos, sin))
    half = q.astype(float)
    turned = np.concatenate([half[..., :4] * c - half[..., 4:] * s, half[..., :4] * s + half[..., 4:] * c], -1)
    case("rotary", "RotaryEmbedding", [q, cos, sin], [like(q, turned)], opset=23)
    pairs = np.empty(q.shape)
    pairs[..., 0::2] = half[..., 0::2] * c - half[..., 1::2] * s
    pairs[..., 1::2] = half[..., 0::2] * s + half[..., 1::2] * c
    case("rotary_pairs", "RotaryEmbedding", [q, cos, sin], [like(q, pairs)], opset=23, interleaved=1)
    table_cos, table_sin, at = numbers(6, 4), numbers(6, 4), np.array([[0, 5, 2], [3, 3, 1]])
    c, s = (t[at][:, None].astype(float) for t in (table_cos, table_sin))
    turned = np.concatenate([half[..., :4] * c - half[..., 4:] * s, half[..., :4] * s + half[..., 4:] * c], -1)
    case("rotary_places", "RotaryEmbedding", [q, table_cos, table_sin, at], [like(q, turned)], opset=23)


def norms():
    x, weight = numbers(2, 3, 4), numbers(4)
    wide = x.astype(float)
    unit = wide / np.sqrt((wide ** 2).mean(-1, keepdims=True) + 1e-5)
    case("rms", "RMSNormalization", [x, weight], [like(x, unit * weight)], opset=23)
    both = wide / np.sqrt((wide ** 2).mean((1, 2), keepdims=True) + 0.1)
    case("rms_axis", "RMSNormalization", [x, numbers(3, 4) * 0 + 2], [like(x, both * 2)], opset=23, axis=1, epsilon=0.1)
    image, scale, bias = numbers(2, 4, 3, 2), numbers(4), numbers(4)
    groups = image.reshape(2, 2, -1).astype(float)
    centered = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    unit = centered.reshape(image.shape)
    case("group_norm_channels", "GroupNormalization", [image, scale, bias],
         [like(image, unit * scale[:, None, None] + bias[:, None, None])], opset=21, num_groups=2)
    each = [t[[0, 0, 1, 1]][:, None, None] for t in (scale, bias)]
    case("group_norm_groups", "GroupNormalization", [image, scale[:2], bias[:2]], [like(image, unit * each[0] + each[1])],
         opset=18, num_groups=2)
    # Statistics are float32 by stash_type, whatever the rows are.
    half = numbers(3, 8).astype(np.float16)
    rows = half.astype(float)
    mean, deviation = rows.mean(-1, keepdims=True), np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    case("layer_norm_half", "LayerNormalization", [half, np.ones(8, np.float16)],
         [like(half, (rows - mean) / deviation), floats(mean), floats(1 / deviation)])


def activations():
    x = floats([-20, -3, -1, -0.1, 0, 0.1, 1, 3, 20])
    wide = x.astype(float)
    case("gelu", "Gelu", [x], [like(x, wide * (1 + ERF(wide / np.sqrt(2))) / 2)], opset=20)
    inner = np.sqrt(2 / np.pi) * (wide + 0.044715 * wide ** 3)
    case("gelu_tanh", "Gelu", [x], [like(x, wide * (1 + np.tanh(inner)) / 2)], opset=20, approximate="tanh")
    case("swish", "Swish", [x], [like(x, wide / (1 + np.exp(-wide)))], opset=24)
    case("swish_alpha", "Swish", [x], [like(x, wide / (1 + np.exp(-1.7 * wide)))], opset=24, alpha=1.7)
    case("mish", "Mish", [x], [like(x, wide * np.tanh(np.log1p(np.exp(wide))))], opset=18)
    case("celu", "Celu", [x], [like(x, np.maximum(wide, 0) + np.minimum(0, 0.5 * np.expm1(wide / 0.5)))], alpha=0.5)


def recurrences():
    """One direction and two, by the formulas of the standard: gates i, o, f, c and z, r, h."""
    steps, batch, inputs, hidden = 4, 2, 3, 5
    x = numbers(steps, batch, inputs)
    sigmoid = lambda t: 1 / (1 + np.exp(-t))  # noqa: E731

    def lstm(x, w, r, b):
        h = c = np.zeros((batch, hidden))
        out = []
        for t in range(steps):
            i, o, f, g = np.split(x[t] @ w.T + h @ r.T + b[:4 * hidden] + b[4 * hidden:], 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            out.append(h)
        return np.stack(out), h, c

    def gru(x, w, r, b):
        h = np.zeros((batch, hidden))
        out = []
        for t in range(steps):
            wz, wr, wh = np.split(x[t] @ w.T + b[:3 * hidden], 3, axis=1)
            rz, rr, rh = np.split(h @ r.T + b[3 * hidden:], 3, axis=1)
            z = sigmoid(wz + rz)
            h = (1 - z) * np.tanh(wh + sigmoid(wr + rr) * rh) + z * h
            out.append(h)
        return np.stack(out), h

    for op, gates, run in (("LSTM", 4, lstm), ("GRU", 3, gru)):
        w, r, b = numbers(2, gates * hidden, inputs), numbers(2, gates * hidden, hidden), numbers(2, 2 * gates * hidden)
        linear = {"linear_before_reset": 1} if op == "GRU" else {}
        ahead = run(x.astype(float), w[0], r[0], b[0])
        back = run(x[::-1].astype(float), w[1], r[1], b[1])
        case(op.lower(), op, [x, w[:1], r[:1], b[:1]], [like(x, ahead[0][:, None])] + [like(x, t[None]) for t in ahead[1:]],
             hidden_size=hidden, **linear)
        both = [np.stack([ahead[0], back[0][::-1]], 1)] + [np.stack(pair) for pair in zip(ahead[1:], back[1:])]
        case(op.lower() + "_both", op, [x, w, r, b], [like(x, t) for t in both], opset=22, direction="bidirectional",
             hidden_size=hidden, **linear)


for group in (functions, integers, scatters, places, shapes, resizes, folded, layers, norms, activations, recurrences):
    group()
print(len(list(FOLDER.iterdir())), "cases")
