"""Trains one model with batches of 64 and with 4 micro-batches of 16.

usage: accumulation.py MODEL.mlir FOLDER [--cuda BUILD]

In MODEL, BATCH stands for the number of samples. Checked are:
- the same samples give the same training, but for the order of f32 sums;
- an inf in any micro-batch rejects the whole step, and what the step had added
  up by then is gone: the next step is bit for bit that of a run without it;
- a step that is skipped is done again whole (--retry), and leaves nothing;
- a run that is stopped and resumed goes on bit for bit.

With --cuda BUILD the programs are for CUDA, with emulated kernels on a device
made of host memory (docs/Cuda.md, "Whole programs").
"""
import argparse
import json
import os
import struct
import subprocess
import sys

import numpy

STEP, PARTS = 64, 4
F16_LIMITS = {"rtol": 2e-2, "atol": 2e-3}  # sums of values that f16 rounds
F32_LIMITS = {"rtol": 2e-5, "atol": 1e-6}


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(command) + f"\nexit code {result.returncode}\n"
                 + result.stdout + result.stderr)
    return result.stdout


def read(path):
    """The tensors of a safetensors file."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    types = {"F32": "<f4", "I32": "<i4", "F16": "<f2"}
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]])
            for name, entry in header.items() if name != "__metadata__"}


class Models:
    def __init__(self, options):
        self.options = options
        with open(options.model) as file:
            self.text = file.read()

    def path(self, name):
        return f"{self.options.folder}/{name}"

    def compile(self, name, micro_batches, *settings):
        """A program whose steps are 64 samples in so many micro-batches."""
        model, program = self.path(name + ".mlir"), self.path(name + ".mpcx")
        with open(model, "w") as file:
            file.write(self.text.replace("BATCH", str(STEP // micro_batches)))
        settings = [f"--accumulate={micro_batches}", *settings]
        if self.options.cuda:
            planned = self.path(name + ".exec.mlir")
            run("mpc-opt", model, "--compile-to=exec", "--target=cuda", "-o", planned, *settings)
            run("emulate-cuda", planned, program)
        else:
            run("mpc-compile", model, "-o", program, *settings)
        return program

    def train(self, program, steps, x, label, *arguments):
        """States and metrics after so many steps, in the order of the file."""
        numpy.save(self.path("x.npy"), x)
        numpy.save(self.path("label.npy"), label)
        saved, metrics = self.path("saved"), self.path("metrics")
        run("mpc-run", "train", program, "--steps", str(steps),
            "--input", "x=" + self.path("x.npy"), "--input", "label=" + self.path("label.npy"),
            "--save", saved, "--metrics", metrics, *arguments)
        with open(metrics) as file:
            return read(saved), [json.loads(line) for line in file]


def require(condition, what):
    if not condition:
        sys.exit("accumulation.py: " + what)


def same_bits(one, other, names):
    return all(numpy.array_equal(one[name], other[name]) for name in names)


def compare_whole_and_parts(models, x, label, limits, *settings):
    whole = models.compile("whole", 1, *settings)
    parts = models.compile("parts", PARTS, *settings)
    steps = len(x) // STEP
    expected, losses = models.train(whole, steps, x, label, "--no-shuffle")
    found, mean_losses = models.train(parts, steps, x, label, "--no-shuffle")
    require(set(expected) == set(found), f"states differ: {sorted(found)}")
    for name, values in expected.items():
        numpy.testing.assert_allclose(found[name], values, err_msg=name, **limits)
    for one, other in zip(losses, mean_losses, strict=True):
        numpy.testing.assert_allclose(other["loss"], one["loss"], **limits)
        require(one.get("found_inf") == other.get("found_inf"), "one of them was skipped")
    # The order of an epoch is that of the samples, however a step cuts them.
    expected, _ = models.train(whole, steps, x, label)
    found, _ = models.train(parts, steps, x, label)
    numpy.testing.assert_allclose(found["w1"], expected["w1"], **limits)


def reject_each_micro_batch(models, x, label, *settings):
    program = models.compile("scaled", PARTS, *settings)
    clean, _ = models.train(program, 1, x[STEP:2 * STEP], label[STEP:2 * STEP], "--no-shuffle")
    names = [name for name in clean if name not in ("skipped", "consecutive_skips")]
    start, _ = models.train(program, 0, x, label)
    require(not any(name.endswith(".grad") for name in clean), "accumulators were saved")
    for part in range(PARTS):
        bad = x[:2 * STEP].copy()
        bad[part * STEP // PARTS + 3] = 1e30  # inf in f16
        skipped, metrics = models.train(program, 1, bad, label[:2 * STEP], "--no-shuffle")
        require(metrics[0]["found_inf"], f"the inf in micro-batch {part} was not found")
        require(same_bits(skipped, start, names), f"micro-batch {part} changed a state")
        after, metrics = models.train(program, 2, bad, label[:2 * STEP], "--no-shuffle")
        require([m["found_inf"] for m in metrics] == [True, False], "step 2 was skipped")
        require(same_bits(after, clean, names), f"micro-batch {part} was not forgotten")


def retry_whole_steps(models, x, label):
    program = models.compile("retried", PARTS, "--precision=fp16", "--loss-scale=dynamic", "--scale-init=4294967296")
    retried, metrics = models.train(program, 2, x, label, "--retry", "40")
    tries = [m["found_inf"] for m in metrics]
    require(tries[0] and tries.count(False) == 2, f"expected two steps after retries, but got {tries}")
    fits = next(m["scale"] for m in metrics if not m["found_inf"])
    direct, metrics = models.train(program, 2, x, label, "--scale", str(fits))
    require(not any(m["found_inf"] for m in metrics), "the scale that retries found does not fit")
    require(same_bits(retried, direct, [name for name in direct if name != "skipped"]), "a retried step left something")


def resume(models, x, label):
    program = models.path("parts.mpcx")
    whole, _ = models.train(program, 4, x, label)
    models.train(program, 2, x, label)
    os.rename(models.path("saved"), models.path("half"))
    resumed, _ = models.train(program, 4, x, label, "--resume", models.path("half"))
    require(same_bits(resumed, whole, whole), "a resumed run differs")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("folder")
    parser.add_argument("--cuda")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    if options.cuda:
        os.environ["MPC_CUDA_PLUGIN"] = options.cuda + "/lib/EmulatedCuda.so"
    random = numpy.random.default_rng(7)
    x = random.normal(size=(5 * STEP, 12)).astype("<f4")
    label = random.integers(0, 5, 5 * STEP).astype("<i4")
    models = Models(options)
    compare_whole_and_parts(models, x, label, F32_LIMITS, "--precision=fp32", "--loss-scale=none")
    resume(models, x, label)
    compare_whole_and_parts(models, x, label, F16_LIMITS, "--precision=fp16", "--loss-scale=dynamic")
    retry_whole_steps(models, x, label)
    reject_each_micro_batch(models, x, label, "--precision=fp16", "--loss-scale=1024")


main()
