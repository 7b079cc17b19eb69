"""Trains the digits model in NumPy, in f64, and compares each step.

    digits-reference.py DATA INITIAL METRICS TOLERANCE

From the initial weights of a checkpoint, on the batches that the documented
shuffle gives, with the formulas of the ops' documentation written out by hand.
Loss and gradient norm of each step must be within TOLERANCE of mpc's. A step
that mpc skipped (found_inf) is skipped here.
"""
import json
import math
import struct
import sys

import numpy as np

MASK = (1 << 64) - 1
NAMES = ("w1", "b1", "norm.weight", "norm.bias", "w2", "b2", "w3", "b3")
LR, DECAY, BETA1, BETA2, EPSILON, CLIP, BATCH = 1e-3, 0.5, 0.9, 0.999, 1e-8, 1.0, 64
erf = np.vectorize(math.erf)


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def shuffled(count, seed, epoch):
    order, key = list(range(count)), mix((mix(seed) + epoch) & MASK)
    for i in range(count - 1, 0, -1):
        random = mix((key + (count - i) * 0x9E3779B97F4A7C15) & MASK)
        j = (random * (i + 1)) >> 64
        order[i], order[j] = order[j], order[i]
    return order


def read_weights(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    return {name: np.frombuffer(data[begin:], "<f4", math.prod(header[name]["shape"]),
                                header[name]["data_offsets"][0])
            .reshape(header[name]["shape"]).astype("f8") for name in NAMES}


def run_model(p, x, label):
    """Loss and gradients."""
    h = x @ p["w1"] + p["b1"]
    inverse = 1 / np.sqrt(h.var(1, keepdims=True) + 1e-5)
    unit = (h - h.mean(1, keepdims=True)) * inverse
    a = unit * p["norm.weight"] + p["norm.bias"]
    cdf = 0.5 * (1 + erf(a / math.sqrt(2)))
    g1 = a * cdf
    q = g1 @ p["w2"] + p["b2"]
    g2 = np.maximum(q, 0)
    logits = g2 @ p["w3"] + p["b3"]
    logits -= logits.max(1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    rows = np.arange(len(label))
    d = np.exp(log_p)
    d[rows, label] -= 1
    d /= len(label)
    grads = {"w3": g2.T @ d, "b3": d.sum(0)}
    d = (d @ p["w3"].T) * (q > 0)
    grads.update({"w2": g1.T @ d, "b2": d.sum(0)})
    d = (d @ p["w2"].T) * (cdf + a * np.exp(-a * a / 2) / math.sqrt(2 * math.pi))
    grads.update({"norm.weight": (d * unit).sum(0), "norm.bias": d.sum(0)})
    d = d * p["norm.weight"]
    d = inverse * (d - d.mean(1, keepdims=True) - unit * (d * unit).mean(1, keepdims=True))
    grads.update({"w1": x.T @ d, "b1": d.sum(0)})
    return -log_p[rows, label].mean(), grads


class AdamW:
    def __init__(self, parameters):
        self.first = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.second = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.step = 0

    def update(self, parameters, grads, factor):
        self.step += 1
        for name in parameters:
            g, m, v = grads[name] * factor, self.first[name], self.second[name]
            m += (1 - BETA1) * (g - m)
            v += (1 - BETA2) * (g * g - v)
            scale = np.sqrt(v / (1 - BETA2 ** self.step)) + EPSILON
            parameters[name] *= 1 - LR * DECAY
            parameters[name] -= LR * m / (1 - BETA1 ** self.step) / scale


def main(data, initial, metrics, tolerance):
    images = np.load(f"{data}/train-images.npy").astype("f8")
    labels = np.load(f"{data}/train-labels.npy")
    parameters = read_weights(initial)
    optimizer, order, worst = AdamW(parameters), None, 0
    for line in map(json.loads, open(metrics)):
        epoch, number = divmod(line["step"] - 1, len(labels) // BATCH)
        if number == 0:
            order = shuffled(len(labels), 0, epoch)
        batch = order[number * BATCH:(number + 1) * BATCH]
        loss, grads = run_model(parameters, images[batch], labels[batch])
        norm = math.sqrt(sum((g ** 2).sum() for g in grads.values()))
        worst = max(worst, abs(line["loss"] / loss - 1))
        if line["found_inf"]:
            continue
        worst = max(worst, abs(line["grad_norm"] / norm - 1))
        optimizer.update(parameters, grads, min(1, CLIP / (norm + 1e-6)))
    print(f"{optimizer.step} steps, largest difference {worst:.2g}")
    if not worst <= tolerance:
        sys.exit(f"expected at most {tolerance}")


main(*sys.argv[1:4], float(sys.argv[4]))
