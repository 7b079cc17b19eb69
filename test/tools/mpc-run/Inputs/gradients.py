"""Gradients as outputs of a step, compared with the formulas in f64.

usage: gradients.py FOLDER [--cuda]

With --cuda the programs are for CUDA, with emulated kernels on a device made of host memory.
"""
import json
import os
import subprocess
import sys

import numpy

folder, cuda = sys.argv[1], "--cuda" in sys.argv
NAMES, KEPT = ["first.w", "first.b", "v", "s"], ["f", "unused"]
SAMPLES = 16
random = numpy.random.default_rng(3)
X, T = (random.normal(size=(SAMPLES, n)).astype(numpy.float32) for n in (3, 2))
EXACT, HALF = dict(rtol=2e-5, atol=1e-6), dict(rtol=2e-2, atol=4e-3)
os.chdir(folder)
numpy.save("x.npy", X)
numpy.save("t.npy", T)
with open(os.path.dirname(__file__) + "/gradients.mlir") as file:
    MODEL = file.read()


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
    return done.stdout


def compile_model(parts, *settings):
    with open("model.mlir", "w") as file:
        file.write(MODEL.replace("BATCH", str(SAMPLES // parts)))
    settings = [f"--accumulate={parts}", *settings]
    if not cuda:
        return run("mpc-compile", "model.mlir", "-o", "model.mpcx", *settings)
    run("mpc-opt", "model.mlir", "--compile-to=exec", "--target=cuda", "-o", "exec.mlir", *settings)
    run("emulate-cuda", "exec.mlir", "model.mpcx")


def train(steps, *options):
    """The gradients that a run leaves, and its weights."""
    run("mpc-run", "train", "model.mpcx", "--input", "x=x.npy", "--input", "t=t.npy", "--no-shuffle", "--seed=5",
        f"--steps={steps}", "--save=w.safetensors", "--metrics=m.jsonl",
        *(f"--output=gradient.{name}={name}.npy" for name in NAMES if steps), *options)
    return {name: numpy.load(name + ".npy") for name in NAMES if steps}, read("w.safetensors")


def read(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data = json.loads(file.read(size)), file.read()
    return {name: number(data[slice(*header[name]["data_offsets"])], header[name]["dtype"])
            .reshape(header[name]["shape"]).astype(numpy.float64) for name in NAMES + KEPT}


def number(data, dtype):
    if dtype == "BF16":  # the upper half of f32
        return (numpy.frombuffer(data, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
    assert dtype == "F32"
    return numpy.frombuffer(data, numpy.float32)


def formulas(p):
    """Of the mean of (y - t)^2 over all samples, whatever the micro-batches."""
    inner = X @ p["first.w"] + p["s"] * p["first.b"]
    dz = 2 * (inner @ p["v"] @ p["f"] - T) / T.size @ p["f"].T
    di = dz @ p["v"].T
    return {"first.w": X.T @ di, "first.b": p["s"] * di.sum(axis=0), "v": inner.T @ dz, "s": (di @ p["first.b"]).sum()}


def check(what, parts, limits, *settings, options=()):
    """The first step's gradients are those of the first weights; the second's, those of the next.

    What has no gradient stays as it is, and is in the checkpoint."""
    compile_model(parts, *settings)
    _, before = train(0)
    for steps in (1, 2):
        got, after = train(steps, *options)
        for name, expected in formulas(before).items():
            assert got[name].dtype == numpy.float32 and got[name].shape == expected.shape, (what, name)
            numpy.testing.assert_allclose(got[name], expected, err_msg=f"{what}: {name}", **limits)
        for name in KEPT:
            numpy.testing.assert_array_equal(after[name], before[name], f"{what}: {name}")
        before = after
    print(what)


def check_skipped():
    """Where a gradient overflows, the output shows it, and the others are what they are."""
    compile_model(1, "--loss-scale=dynamic")
    _, before = train(0)
    got, _ = train(1, "--scale=3e38")
    with open("m.jsonl") as file:
        assert json.loads(file.readline())["found_inf"]
    bad = [name for name in NAMES if not numpy.isfinite(got[name]).all()]
    for name, expected in formulas(before).items():
        finite = numpy.isfinite(got[name])
        overflows = abs(expected) * 3e38 > 3.5e38
        assert not (finite & overflows).any(), name
        numpy.testing.assert_allclose(got[name][finite], numpy.asarray(expected)[finite], **EXACT)
    assert bad, "a scale at which something overflows"
    print("skipped")


def main():
    check("f32", 1, EXACT)
    check("evaluated after each step", 1, EXACT, options=("--eval-input=x=x.npy", "--eval-input=t=t.npy"))
    check("accumulated", 4, EXACT)
    # The scale is a power of two, so the quotients are exact; and far from 1, so that a product would show.
    check("scaled and clipped", 1, EXACT, "--loss-scale=dynamic", "--scale-init=1024", "--clip-norm=0.01",
          "--clip-value=0.001", "--clip-scope=group")
    check("copied, bf16", 1, dict(rtol=6e-2, atol=2e-2), "--precision=bf16", "--weight-copies=persistent")
    check("scaled, accumulated, f16", 4, HALF, "--precision=fp16", "--loss-scale=dynamic", "--scale-init=256")
    if not cuda:
        check("16-bit masters", 1, dict(rtol=1e-5, atol=1e-6), "--master=bf16")
        check("updated in the backward", 1, EXACT, "--optimizer=lomo")
    check_skipped()


main()
