"""Blocks of nets of convolutions: their parameters, and what they are fed. Read by who writes them in the graph dialect
(block_graphs.py) and by who computes what is expected (block-expected.py)."""
import numpy as np

UNET = dict(batch=2, channels=3, size=(10, 6), width=8, groups=4, epsilon=1e-5)
# Of each block: channels in, widened, squeezed, out; kernel and stride.
MOBILENET = dict(batch=4, size=(9, 8), blocks=((6, 12, 4, 6, 3, 1), (6, 18, 5, 8, 5, 2)), classes=5, epsilon=1e-3)
CONVNEXT = dict(batch=3, channels=3, size=(16, 12), widths=(6, 10), stem=2, classes=5, epsilon=1e-6)


def convolution(name, start, to, *kernel):
    yield name + ".weight", (to, start, *kernel)
    yield name + ".bias", (to,)


def linear(name, start, to):
    yield name + ".weight", (to, start)
    yield name + ".bias", (to,)


def norm(name, width):
    yield name + ".weight", (width,)
    yield name + ".bias", (width,)


def unet_parameters():
    """Down, in the middle and up again, beside what was there."""
    m = UNET
    for name, start, to in (("first", m["channels"], m["width"]), ("down", m["width"], 2 * m["width"]),
                            ("middle", 2 * m["width"], 2 * m["width"]), ("up", 3 * m["width"], m["width"])):
        yield from convolution(name + ".conv", start, to, 3, 3)
        yield from norm(name + ".norm", to)
    yield from convolution("last", m["width"], m["channels"], 1, 1)


def mobilenet_parameters():
    m = MOBILENET
    for number, (start, wide, squeezed, to, kernel, _) in enumerate(m["blocks"]):
        at = f"blocks.{number}."
        yield at + "expand.weight", (wide, start, 1, 1)
        yield from norm(at + "expand.norm", wide)
        yield at + "depthwise.weight", (wide, 1, kernel, kernel)
        yield from norm(at + "depthwise.norm", wide)
        yield from convolution(at + "squeeze", wide, squeezed, 1, 1)
        yield from convolution(at + "excite", squeezed, wide, 1, 1)
        yield at + "project.weight", (to, wide, 1, 1)
        yield from norm(at + "project.norm", to)
    yield from linear("head", m["blocks"][-1][3], m["classes"])


def convnext_parameters():
    """The kernels of the second stage lie channels last."""
    m = CONVNEXT
    narrow, wide = m["widths"]
    yield from convolution("stem", m["channels"], narrow, m["stem"], m["stem"])
    yield from norm("stem.norm", narrow)
    for at, width in (("stages.0.", narrow), ("stages.1.", wide)):
        if at == "stages.1.":
            yield from norm("down.norm", narrow)
            yield "down.weight", (wide, 2, 2, narrow)
            yield "down.bias", (wide,)
        yield at + "depthwise.weight", (width, 1, 7, 7) if at == "stages.0." else (width, 7, 7, 1)
        yield at + "depthwise.bias", (width,)
        yield from norm(at + "norm", width)
        yield from linear(at + "up", width, 4 * width)
        yield from linear(at + "down", 4 * width, width)
        yield at + "scale", (width,)
    yield from norm("norm", wide)
    yield from linear("head", wide, m["classes"])


PARAMETERS = {"unet": unet_parameters, "mobilenet": mobilenet_parameters, "convnext": convnext_parameters}


def weights(model):
    random = np.random.default_rng(7)
    scale = lambda shape: 0.3 if len(shape) == 1 else 1.5 / np.sqrt(np.prod(shape[1:]))
    mean = lambda name: 1 if "norm" in name and name.endswith("weight") else 0
    return {name: random.normal(mean(name), scale(shape), shape).astype(np.float32)
            for name, shape in PARAMETERS[model]()}


def inputs(model):
    random = np.random.default_rng(11)
    m = {"unet": UNET, "mobilenet": MOBILENET, "convnext": CONVNEXT}[model]
    shape = (m["batch"], m["blocks"][0][0] if model == "mobilenet" else m["channels"], *m["size"])
    x = random.normal(0, 1, shape).astype(np.float32)
    if model == "unet":
        return {"x": x, "target": random.normal(0, 1, shape).astype(np.float32)}
    return {"x": x, "labels": random.integers(0, m["classes"], m["batch"]).astype(np.int32)}
