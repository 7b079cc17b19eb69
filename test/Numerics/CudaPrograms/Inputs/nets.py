"""Trains nets on a processor and on an emulated CUDA device, and compares gradients and losses.

usage: nets.py FOLDER MODEL...    where FOLDER has MODEL.mlir

A model that does not say how it is trained is trained by plain descent, and starts with random weights.
"""
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Models" / "Inputs"))
from check import write_safetensors

STEPS = 4
CLASSES = 5
FLOOR = {"fp32": 2**-17, "bf16": 2**-7, "fp16": 2**-10}


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, command)) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)


def make_data(folder, model, text):
    """Random tensors for each input: whole numbers are labels and tokens."""
    random, words = np.random.default_rng(5), []
    for shape, name in re.findall(r'tensor<([0-9x]+x[a-z0-9]+)> \{graph.input = "(\w+)"', text):
        *sizes, element = shape.split("x")
        sizes = [STEPS * int(sizes[0]), *map(int, sizes[1:])]
        value = (random.integers(0, CLASSES, sizes).astype(np.int32) if element[0] == "i"
                 else random.uniform(0, 16, sizes).astype(np.float32))
        np.save(folder / f"{model}.{name}.npy", value)
        words += ["--input", f"{name}={folder}/{model}.{name}.npy"]
    if not trains(text):
        write_safetensors(folder / f"{model}.safetensors", {
            name: random.normal(0, 0.3, [int(size) for size in shape.split("x")[:-1]]).astype(np.float32)
            for shape, name in re.findall(r'tensor<([0-9x]+xf32)> \{graph.parameter = "([^"]+)"', text)})
        words += ["--weights", folder / f"{model}.safetensors"]
    return words


def trains(text):
    return "graph.training" in text


def train(folder, model, data, names, target, precision):
    """Gradients of the first step, and losses of all."""
    source, planned, program = (folder / name for name in (f"{model}.mlir", "exec.mlir", "net.mpcx"))
    options = ["--precision=" + precision, "--output-gradients=.*",
               *(["--loss-scale=static", "--scale-init=256"] if precision == "fp16" else ["--loss-scale=none"]),
               *([] if trains(source.read_text()) else ["--optimizer=sgd", "--lr=0.001"])]
    if target == "cuda":
        run("mpc-opt", source, "--compile-to=exec", "--target=cuda", "-o", planned, *options)
        run("emulate-cuda", planned, program)
    else:
        run("mpc-compile", source, "-o", program, *options)
    words = [word for name in names for word in ("--output", f"gradient.{name}={folder}/{name}.npy")]
    run("mpc-run", "train", program, *data, "--no-shuffle", "--steps", 1, *words)
    gradients = {name: np.load(folder / f"{name}.npy").astype(np.float64) for name in names}
    run("mpc-run", "train", program, *data, "--no-shuffle", "--steps", STEPS, "--metrics", folder / "metrics")
    losses = [json.loads(line)["loss"] for line in (folder / "metrics").read_text().splitlines()]
    return gradients, np.array(losses)


def compare(folder, model):
    text = (folder / f"{model}.mlir").read_text()
    names = re.findall(r'graph.parameter = "([^"]+)"', text)
    data = make_data(folder, model, text)
    exact, losses = train(folder, model, data, names, "cpu", "fp32")
    # What is small beside all others is measured by a tenth of the largest.
    least = max(map(np.linalg.norm, exact.values())) / 10
    assert least > 0 and len(set(losses)) == STEPS, losses
    for precision, floor in FLOOR.items():
        plain = exact if precision == "fp32" else train(folder, model, data, names, "cpu", precision)[0]
        found, told = train(folder, model, data, names, "cuda", precision)
        for name, value in exact.items():
            error, own = (np.linalg.norm(other[name] - value) for other in (found, plain))
            bound = 2 * own + floor * max(np.linalg.norm(value), least)
            assert error <= bound, f"{model}, {precision}: {name} is off by {error:.2e}, and {bound:.2e} is allowed"
        np.testing.assert_allclose(told, losses, rtol=1e-4 if precision == "fp32" else 5e-2, err_msg=f"{model}, {precision}")
    print(f"{model}: {len(names)} gradients in {', '.join(FLOOR)}")


for model in sys.argv[2:]:
    compare(pathlib.Path(sys.argv[1]), model)
