"""Trains a net with batch norms on one, two and three ranks, and compares what they leave.

usage: synchronized-norm.py FOLDER [BUILD]

With BUILD, ranks train on CUDA devices made of host memory, with emulated kernels (docs/Cuda.md, "Whole programs").
"""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

SAMPLES, STEPS = 24, 3  # Of a step, on all ranks.
MODEL = """func.func @net(%x: tensor<24x3x6x5xf32> {graph.input = "x"}, %label: tensor<24xi32> {graph.input = "label"},
    %conv1: tensor<4x3x3x3xf32> {graph.parameter = "conv1", graph.init = #graph.normal<0.0, 0.4>},
    %weight1: tensor<4xf32> {graph.parameter = "weight1", graph.init = #graph.uniform<0.5, 1.5>},
    %bias1: tensor<4xf32> {graph.parameter = "bias1", graph.init = #graph.uniform<-0.5, 0.5>},
    %conv2: tensor<6x4x3x3xf32> {graph.parameter = "conv2", graph.init = #graph.normal<0.0, 0.4>},
    %weight2: tensor<6xf32> {graph.parameter = "weight2", graph.init = #graph.uniform<0.5, 1.5>},
    %linear: tensor<6x5xf32> {graph.parameter = "linear", graph.init = #graph.normal<0.0, 0.4>},
    %mean1: tensor<4xf32> {graph.state = #graph.state<"mean1" running_statistic init #graph.zeros>},
    %variance1: tensor<4xf32> {graph.state = #graph.state<"variance1" running_statistic init #graph.fill<1.0>>},
    %mean2: tensor<6xf32> {graph.state = #graph.state<"mean2" running_statistic init #graph.zeros>},
    %variance2: tensor<6xf32> {graph.state = #graph.state<"variance2" running_statistic init #graph.fill<1.0>>},
    %mean3: tensor<5xf32> {graph.state = #graph.state<"mean3" running_statistic init #graph.zeros>},
    %variance3: tensor<5xf32> {graph.state = #graph.state<"variance3" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}, tensor<24x5xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.convolution %x, %conv1 same : (tensor<24x3x6x5xf32>, tensor<4x3x3x3xf32>) -> tensor<24x4x6x5xf32>
  %1 = graph.batch_norm %0 weight %weight1 bias %bias1 running %mean1, %variance1 SYNCHRONIZED : (tensor<24x4x6x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<24x4x6x5xf32>
  %2 = graph.silu %1 : tensor<24x4x6x5xf32>
  %3 = graph.convolution %2, %conv2 strides = [2, 2] : (tensor<24x4x6x5xf32>, tensor<6x4x3x3xf32>) -> tensor<24x6x2x2xf32>
  %4 = graph.batch_norm %3 weight %weight2 running %mean2, %variance2 population SYNCHRONIZED : (tensor<24x6x2x2xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<24x6x2x2xf32>
  %5 = graph.tanh %4 : tensor<24x6x2x2xf32>
  %6 = graph.mean %5 dims = [2, 3] : (tensor<24x6x2x2xf32>) -> tensor<24x6xf32>
  %7 = graph.matmul %6, %linear : (tensor<24x6xf32>, tensor<6x5xf32>) -> tensor<24x5xf32>
  %8 = graph.batch_norm %7 running %mean3, %variance3 momentum = 0.3 SYNCHRONIZED : (tensor<24x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<24x5xf32>
  %loss = graph.cross_entropy %8, %label : (tensor<24x5xf32>, tensor<24xi32>) -> tensor<f32>
  return %loss, %8 : tensor<f32>, tensor<24x5xf32>
}
"""


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, command)) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)


def read_safetensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    return {name: np.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], "<f4")
            for name, entry in json.loads(data[8:8 + size]).items() if entry.get("dtype") == "F32"}


class Net:
    def __init__(self, folder, build=None):
        self.folder, self.build = folder, build
        random = np.random.default_rng(3)
        # Ranks have samples of other means: their shares are not alike.
        x = random.standard_normal((SAMPLES * STEPS, 3, 6, 5)) + np.arange(SAMPLES * STEPS).reshape(-1, 1, 1, 1) % 6
        np.save(folder / "x.npy", x.astype(np.float32))
        np.save(folder / "overflow.npy", np.where(np.arange(x.size).reshape(x.shape) == 700, 1e9, x).astype(np.float32))
        np.save(folder / "label.npy", random.integers(0, 5, SAMPLES * STEPS).astype(np.int32))

    def train(self, ranks, word="synchronized", settings=(), steps=STEPS, parts=1, x="x"):
        """States that are left, losses of the steps, and gradients of the last one."""
        model, program, saved = (self.folder / name for name in ("net.mlir", "net.mpcx", "saved"))
        model.write_text(MODEL.replace("SYNCHRONIZED", word))
        settings = [f"--batch={SAMPLES // ranks // parts}", f"--accumulate={parts}", "--output-gradients=.*", *settings]
        if self.build:
            planned = self.folder / "exec.mlir"
            run("mpc-opt", model, "--compile-to=exec", "--target=cuda", "-o", planned, *settings)
            run("emulate-cuda", planned, program)
        else:
            run("mpc-compile", model, "-o", program, *settings)
        names = ["conv1", "weight1", "bias1", "conv2", "weight2", "linear"]
        words = [word for name in names for word in ("--output", f"gradient.{name}={self.folder}/{name}.npy")]
        together = ["--ranks", ranks, "--timeout", 100, "--check-every", 1] if ranks > 1 else []
        run("mpc-run", "train", program, "--input", f"x={self.folder}/{x}.npy", "--input", f"label={self.folder}/label.npy",
            "--no-shuffle", *([] if self.build else ["--threads", 1]), "--steps", steps, "--save", saved, "--metrics", self.folder / "metrics", *words,
            *together)
        lines = [json.loads(line) for line in (self.folder / "metrics").read_text().splitlines()]
        gradients = {"gradient." + name: np.load(self.folder / f"{name}.npy") for name in names}
        return read_safetensors(saved), lines, gradients


def worst(one, other):
    """The largest difference, relative to the largest element of its tensor."""
    assert one.keys() == other.keys(), one.keys() ^ other.keys()
    return max(float(np.abs(other[name] - value).max() / max(np.abs(value).max(), 1e-3)) for name, value in one.items())


def main():
    folder = pathlib.Path(sys.argv[1])
    states, lines, gradients = Net(folder).train(1)
    net = Net(folder, *sys.argv[2:])
    if net.build:
        os.environ["MPC_CUDA_PLUGIN"] = f"{net.build}/lib/EmulatedCuda.so"
    for ranks in (2, 3):
        other, told, found = net.train(ranks)
        assert worst(states, other) < 2e-5, (ranks, worst(states, other))
        assert worst(gradients, found) < 5e-5, (ranks, worst(gradients, found))
        np.testing.assert_allclose([line["loss"] for line in told], [line["loss"] for line in lines], rtol=1e-5)
        other, _, found = net.train(ranks, word="")
        assert worst(states, other) > 1e-2 and worst(gradients, found) > 1e-2, "the word changes nothing"
    # One rank alone computes what it does without the word, with all-reduces and without.
    for settings in ((), ("--reduce=none",)):
        plain, _, _ = net.train(1, word="", settings=settings)
        synced, _, _ = net.train(1, settings=settings)
        assert worst(plain, synced) < 1e-5, worst(plain, synced)
    # Micro-batches: each has the samples of all ranks.
    one, _, _ = net.train(1, parts=2)
    two, _, _ = net.train(2, parts=2)
    assert worst(one, two) < 2e-5, worst(one, two)
    net.train(3, parts=2, settings=["--precision=bf16"])
    # A step that overflows on one rank leaves all states as they were on each.
    settings = ["--precision=fp16", "--loss-scale=dynamic", "--scale-init=256"]
    _, told, _ = net.train(2, settings=settings, x="overflow")
    assert [line["found_inf"] for line in told] == [True, False, False], told
    _, told, _ = net.train(2, settings=settings)
    assert not any(line["found_inf"] for line in told), told
    print("synchronized")


main()
