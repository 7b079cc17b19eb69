"""Makes expected.json: ten steps of the net of definitions.py by PyTorch in f64.

    python3 expected.py > expected.json

"unbiased": as torch.nn.BatchNorm keeps its running variance. "population": as ONNX says, the same training with the
running variance moved by hand. "parts": unbiased, of two micro-batches a step. Of each: the losses of the steps, what
the model answers after them by its running statistics for the first batch, and those statistics. Needs PyTorch and
NumPy, which the test does not: it reads the file.
"""
import json

import torch
import torch.nn.functional as F

import definitions as d


def norm(w, name, x, training, population):
    running = [w[f"{name}.running_{of}"] for of in ("mean", "var")]
    weight, bias = w[name + ".weight"], w[name + ".bias"]
    if not training or not population:
        return F.batch_norm(x, *running, weight, bias, training, d.MOMENTUM, d.EPSILON)
    dims = [0, *range(2, x.dim())]
    with torch.no_grad():
        for state, batch in zip(running, (x.mean(dims), x.var(dims, unbiased=False))):
            state.mul_(1 - d.MOMENTUM).add_(batch, alpha=d.MOMENTUM)
    return F.batch_norm(x, None, None, weight, bias, True, d.MOMENTUM, d.EPSILON)


def logits(w, x, training, population):
    y = norm(w, "bn1", F.conv2d(x, w["conv1"], padding=1), training, population).relu()
    z = y + norm(w, "bn2", F.conv2d(y, w["conv2"], padding=1), training, population)
    return norm(w, "bn3", z.mean((2, 3)) @ w["linear"], training, population)


def train(population, parts):
    w = {name: torch.from_numpy(value).double() for name, value in d.weights().items()}
    for name in d.PARAMETERS:
        w[name].requires_grad_()
    inputs = {name: torch.from_numpy(value) for name, value in d.inputs().items()}
    x, label = inputs["x"].double(), inputs["label"].long()
    losses = []
    for step in range(d.STEPS):
        total = 0
        for part in range(parts):
            size = d.BATCH // parts
            at = slice(step * d.BATCH + part * size, step * d.BATCH + (part + 1) * size)
            loss = F.cross_entropy(logits(w, x[at], True, population), label[at]) / parts
            loss.backward()
            total += loss.item()
        losses.append(total)
        with torch.no_grad():
            for name in d.PARAMETERS:
                w[name] -= d.LR * w[name].grad
                w[name].grad = None
    answers = logits(w, x[:d.BATCH], False, population)
    states = {name: w[name].tolist() for name in w if "running" in name}
    return {"losses": losses, "answers": answers.tolist(), "states": states}


print(json.dumps({"unbiased": train(False, 1), "population": train(True, 1), "parts": train(False, 2)}, indent=1))
