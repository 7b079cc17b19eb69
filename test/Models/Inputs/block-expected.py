"""Makes blocks.npz: what the blocks of blocks.py give, and their gradients, by PyTorch in f64.

    python3 block-expected.py

Of each model it has MODEL/loss, MODEL/y and MODEL/gradient.NAME, rounded to f32, and in MODEL/PRECISION, one after the
other, the norms of PyTorch's own errors, in 16 bits under its autocast on a processor. Needs PyTorch and NumPy, which
the test does not: it reads the file.
"""
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

import blocks


def linear(w, name, x):
    return F.linear(x, w[name + ".weight"], w[name + ".bias"])


def unet(w, inputs):
    m = blocks.UNET

    def block(name, x, stride=1):
        y = F.conv2d(x, w[name + ".conv.weight"], w[name + ".conv.bias"], stride, padding=1)
        return F.silu(F.group_norm(y, m["groups"], w[name + ".norm.weight"], w[name + ".norm.bias"], m["epsilon"]))

    skip = block("first", inputs["x"])
    y = block("middle", block("down", skip, stride=2))
    y = torch.cat([skip, F.interpolate(y, scale_factor=2, mode="nearest")], dim=1)
    y = F.conv2d(block("up", y), w["last.weight"], w["last.bias"])
    return F.mse_loss(y.to(inputs["target"].dtype), inputs["target"]), y


def mobilenet(w, inputs):
    m = blocks.MOBILENET
    norm = lambda x, name: F.batch_norm(x, None, None, w[name + ".norm.weight"], w[name + ".norm.bias"], True, 0.1,
                                        m["epsilon"])
    x = inputs["x"]
    for number, (start, wide, _, to, kernel, stride) in enumerate(m["blocks"]):
        at = f"blocks.{number}."
        y = F.hardswish(norm(F.conv2d(x, w[at + "expand.weight"]), at + "expand"))
        y = F.conv2d(y, w[at + "depthwise.weight"], stride=stride, padding=kernel // 2, groups=wide)
        y = F.hardswish(norm(y, at + "depthwise"))
        s = F.adaptive_avg_pool2d(y, 1)
        s = F.relu(F.conv2d(s, w[at + "squeeze.weight"], w[at + "squeeze.bias"]))
        y = y * F.hardsigmoid(F.conv2d(s, w[at + "excite.weight"], w[at + "excite.bias"]))
        y = norm(F.conv2d(y, w[at + "project.weight"]), at + "project")
        x = x + y if stride == 1 and start == to else y
    y = linear(w, "head", x.mean((2, 3)))
    return F.cross_entropy(y, inputs["labels"]), y


def convnext(w, inputs):
    m = blocks.CONVNEXT
    norm = lambda x, name: F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], m["epsilon"])

    def kernel(name):
        weight = w[name + ".weight"]
        return weight if name == "stages.0.depthwise" else weight.permute(0, 3, 1, 2)

    def block(at, x):
        width = x.shape[3]
        y = F.conv2d(x.permute(0, 3, 1, 2), kernel(at + "depthwise"), w[at + "depthwise.bias"], padding=3, groups=width)
        y = norm(y.permute(0, 2, 3, 1), at + "norm")
        return x + linear(w, at + "down", F.gelu(linear(w, at + "up", y))) * w[at + "scale"]

    x = F.conv2d(inputs["x"], w["stem.weight"], w["stem.bias"], m["stem"]).permute(0, 2, 3, 1)
    x = block("stages.0.", norm(x, "stem.norm"))
    x = norm(x, "down.norm").permute(0, 3, 1, 2)
    x = block("stages.1.", F.conv2d(x, kernel("down"), w["down.bias"], 2).permute(0, 2, 3, 1))
    y = linear(w, "head", norm(x.mean((1, 2)), "norm"))
    return F.cross_entropy(y, inputs["labels"]), y


def run(model, dtype, autocast=None):
    def to_torch(array):
        tensor = torch.from_numpy(array)
        return tensor.to(dtype) if tensor.is_floating_point() else tensor.long()

    name = model.__name__
    w = {key: to_torch(value).requires_grad_() for key, value in blocks.weights(name).items()}
    scale = 1024 if autocast == torch.float16 else 1
    with torch.autocast("cpu", dtype=autocast, enabled=autocast is not None):
        loss, y = model(w, {key: to_torch(value) for key, value in blocks.inputs(name).items()})
    (loss * scale).backward()
    results = {"loss": loss, "y": y} | {"gradient." + key: value.grad / scale for key, value in w.items()}
    return {key: value.detach().double().numpy() for key, value in results.items()}


def main():
    arrays = {}
    for model in (unet, mobilenet, convnext):
        exact = run(model, torch.float64)
        arrays |= {f"{model.__name__}/{key}": value.astype(np.float32) for key, value in exact.items()}
        for name, dtype in (("fp32", None), ("bf16", torch.bfloat16), ("fp16", torch.float16)):
            rounded = run(model, torch.float32, dtype)
            errors = [np.linalg.norm(value - rounded[key]) for key, value in exact.items()]
            arrays[f"{model.__name__}/{name}"] = np.array(errors, np.float32)
    np.savez_compressed(pathlib.Path(__file__).with_name("blocks.npz"), **arrays)


if __name__ == "__main__":
    main()
