"""Trains a step of a block of blocks.py in three precisions, and compares what it gives and all gradients with blocks.npz.

    block-check.py MODEL FOLDER

The error of a tensor, by its norm, is at most twice that of PyTorch, which computes the same in the same types, and a
floor: some roundings of the tensor. What is small beside all other gradients is measured by a tenth of the largest:
a bias in front of a batch norm has none but rounding.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

import blocks
from check import write_safetensors

FLOOR = {"fp32": 2**-18, "bf16": 2**-7, "fp16": 2**-10}  # A few units in the last place of 1.


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, command)) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)


def train(model, folder, precision):
    """The loss, the result and the gradients."""
    scale = ["--loss-scale=static", "--scale-init=1024"] if precision == "fp16" else []
    run("mpc-compile", folder / "model.mlir", "--optimizer=sgd", "--lr=1", "--output-gradients=.*", "-o",
        folder / "model.mpcx", "--precision=" + precision, *scale)
    names = ["y", *("gradient." + name for name in blocks.weights(model))]
    words = [word for name in blocks.inputs(model) for word in ("--input", f"{name}={folder / name}.npy")]
    words += [word for name in names for word in ("--output", f"{name}={folder / name}.npy")]
    run("mpc-run", "train", folder / "model.mpcx", "--weights", folder / "weights.safetensors", "--metrics",
        folder / "metrics", "--steps", 1, "--no-shuffle", *words)
    loss = json.loads((folder / "metrics").read_text().splitlines()[0])["loss"]
    return {"loss": np.array(loss)} | {name: np.load(folder / f"{name}.npy") for name in names}


def compare(precision, got, exact, errors):
    """`errors` are PyTorch's."""
    norm = lambda array: np.linalg.norm(np.asarray(array, np.float64))
    least = max(norm(value) for name, value in exact.items() if name.startswith("gradient.")) / 10
    worst = 0
    for (name, value), error in zip(exact.items(), errors):
        assert got[name].shape == value.shape, (name, got[name].shape, value.shape)
        size = max(norm(value), least) if name.startswith("gradient.") else norm(value)
        bound = 2 * error + FLOOR[precision] * size
        error = norm(got[name].astype(np.float64) - value)
        worst = max(worst, error / bound)
        if not error <= bound:
            sys.exit(f"{precision}: {name} is off by {error:.2e} of {norm(value):.2e}, and {bound:.2e} is allowed")
    print(f"{precision}: {len(got)} tensors, at worst {worst:.2f} of what is allowed")


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    write_safetensors(folder / "weights.safetensors", blocks.weights(model))
    for name, value in blocks.inputs(model).items():
        np.save(folder / f"{name}.npy", value)
    arrays = np.load(pathlib.Path(__file__).with_name("blocks.npz"))
    exact = {name: arrays[f"{model}/{name}"]
             for name in ["loss", "y", *("gradient." + name for name in blocks.weights(model))]}
    for precision in ("fp32", "bf16", "fp16"):
        errors = arrays[f"{model}/{precision}"]
        assert len(errors) == len(exact)
        compare(precision, train(model, folder, precision), exact, errors)


if __name__ == "__main__":
    main()
