"""Blocks of a U-Net, of MobileNet v3 and of ConvNeXt in the graph dialect.

    python3 block_graphs.py unet|mobilenet|convnext > model.mlir
"""
import sys

import blocks
from graphs import Graph


def convolve(g, name, x, stride=1, low=0, groups=1, last=False):
    weight = g.parameter(name + ".weight")
    kernel = weight.shape[1:3] if last else weight.shape[2:]
    size = x.shape[1:3] if last else x.shape[2:]
    space = [(length + 2 * low - window) // stride + 1 for length, window in zip(size, kernel)]
    channels = weight.shape[0]
    words = f" strides = [{stride}, {stride}]" if stride > 1 else ""
    words += f" low = [{low}, {low}] high = [{low}, {low}]" if low else ""
    words += f" groups = {groups}" if groups > 1 else ""
    words += " channels_last" if last else ""
    shape = (x.shape[0], *space, channels) if last else (x.shape[0], channels, *space)
    y = g.op("convolution {}, {}" + words, [x, weight], shape)
    if name + ".bias" not in g.shapes:
        return y
    bias = g.parameter(name + ".bias")
    return g.op("add {}, {}", [y, bias if last else g.reshape(bias, channels, 1, 1)], y.shape)


def norm(g, op, name, x, words):
    parameters = [g.parameter(name + ".weight"), g.parameter(name + ".bias")]
    return g.op(op + " {} weight {} bias {} " + words, [x, *parameters], x.shape)


def transpose(g, x, *order):
    return g.op(f"transpose {{}} permutation = {list(order)}", [x], [x.shape[dim] for dim in order])


def mean(g, x, *dims, keep=False):
    shape = [1 if dim in dims else size for dim, size in enumerate(x.shape) if keep or dim not in dims]
    return g.op(f"mean {{}} dims = {list(dims)}" + (" keep" if keep else ""), [x], shape)


def unet(g):
    m = blocks.UNET
    words = f"groups = {m['groups']} epsilon = {m['epsilon']:e}"
    block = lambda name, x, stride=1: g.unary("silu {}", norm(g, "group_norm", name + ".norm", convolve(
        g, name + ".conv", x, stride, 1), words))
    shape = (m["batch"], m["channels"], *m["size"])
    x, target = g.input("x", shape, "f32"), g.input("target", shape, "f32")
    skip = block("first", x)
    y = block("middle", block("down", skip, 2))
    rows, columns = m["size"]
    y = g.op(f"resize_nearest {{}} sizes = [{rows}, {columns}] asymmetric floor", [y], (*y.shape[:2], rows, columns))
    y = g.op("concat {}, {} dim = 1", [skip, y], (m["batch"], 3 * m["width"], rows, columns))
    y = convolve(g, "last", block("up", y))
    return g.op("mse {}, {}", [y, target], []), y


def mobilenet(g):
    m = blocks.MOBILENET
    words = f"epsilon = {m['epsilon']:e}"
    x = g.input("x", (m["batch"], m["blocks"][0][0], *m["size"]), "f32")
    labels = g.input("labels", (m["batch"],), "i32")
    for number, (start, wide, squeezed, to, kernel, stride) in enumerate(m["blocks"]):
        at = f"blocks.{number}."
        y = norm(g, "batch_norm", at + "expand.norm", convolve(g, at + "expand", x), words)
        y = convolve(g, at + "depthwise", g.unary("hardswish {}", y), stride, kernel // 2, wide)
        y = g.unary("hardswish {}", norm(g, "batch_norm", at + "depthwise.norm", y, words))
        # One block pools in a word of its own, the other by a mean.
        s = (g.op("adaptive_average_pool {} sizes = [1, 1]", [y], (*y.shape[:2], 1, 1)) if number
             else mean(g, y, 2, 3, keep=True))
        s = convolve(g, at + "excite", g.unary("relu {}", convolve(g, at + "squeeze", s)))
        y = g.multiply(y, g.unary("hardsigmoid {}", s))
        y = norm(g, "batch_norm", at + "project.norm", convolve(g, at + "project", y), words)
        x = g.add(x, y) if stride == 1 and start == to else y
    y = g.linear("head", mean(g, x, 2, 3))
    return g.loss(y, labels), y


def convnext(g):
    m = blocks.CONVNEXT
    layer_norm = lambda name, x: g.layer_norm(name, x, m)

    def rest(at, x, y):
        y = g.linear(at + "down", g.unary("gelu {}", g.linear(at + "up", layer_norm(at + "norm", y))))
        return g.add(x, g.multiply(y, g.parameter(at + "scale")))

    narrow, wide = m["widths"]
    x, labels = g.input("x", (m["batch"], m["channels"], *m["size"]), "f32"), g.input("labels", (m["batch"],), "i32")
    # As torchvision writes it: the convolution with its channels first, all else with them last.
    x = layer_norm("stem.norm", transpose(g, convolve(g, "stem", x, m["stem"]), 0, 2, 3, 1))
    y = convolve(g, "stages.0.depthwise", transpose(g, x, 0, 3, 1, 2), low=3, groups=narrow)
    x = rest("stages.0.", x, transpose(g, y, 0, 2, 3, 1))
    # Channels last throughout.
    x = convolve(g, "down", layer_norm("down.norm", x), 2, last=True)
    x = rest("stages.1.", x, convolve(g, "stages.1.depthwise", x, low=3, groups=wide, last=True))
    y = g.linear("head", layer_norm("norm", mean(g, x, 1, 2)))
    return g.loss(y, labels), y


MODELS = {"unet": unet, "mobilenet": mobilenet, "convnext": convnext}

if __name__ == "__main__":
    graph = Graph(blocks.PARAMETERS[sys.argv[1]]())
    loss, y = MODELS[sys.argv[1]](graph)
    sys.stdout.write(graph.write(loss, y=y))
