"""Trains the net of definitions.py and compares with PyTorch's numbers (expected.json).

usage: check.py FOLDER [--cuda BUILD]

Checked are, with f32 arithmetic to its error and in bf16 roughly:
- ten steps in both conventions of the running variance: losses, running statistics, and what the model answers by them;
- two micro-batches a step, which move the running statistics one after the other;
- a run that is stopped and resumed goes on bit for bit;
- a step that overflows leaves the running statistics as they were, in whichever micro-batch it does; where the
  settings say so, they take it in.

With --cuda BUILD the programs are for CUDA, with emulated kernels on a device made of host memory (docs/Cuda.md, "Whole
programs").
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

import definitions as d

MODEL = """func.func @net(%x: tensor<BATCHx3x7x6xf32> {graph.input = "x"}, %label: tensor<BATCHxi32> {graph.input = "label"},
ARGUMENTS) -> (tensor<f32> {graph.loss}, tensor<BATCHx5xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = LEARNING_RATE>>} {
  %0 = graph.convolution %x, %conv1 low = [1, 1] high = [1, 1] : (tensor<BATCHx3x7x6xf32>, tensor<4x3x3x3xf32>) -> tensor<BATCHx4x7x6xf32>
  %1 = graph.batch_norm %0 weight %bn1.weight bias %bn1.bias running %bn1.running_mean, %bn1.running_var WORDS : (tensor<BATCHx4x7x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<BATCHx4x7x6xf32>
  %2 = graph.relu %1 : tensor<BATCHx4x7x6xf32>
  %3 = graph.convolution %2, %conv2 low = [1, 1] high = [1, 1] : (tensor<BATCHx4x7x6xf32>, tensor<4x4x3x3xf32>) -> tensor<BATCHx4x7x6xf32>
  %4 = graph.batch_norm %3 weight %bn2.weight bias %bn2.bias running %bn2.running_mean, %bn2.running_var WORDS : (tensor<BATCHx4x7x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<BATCHx4x7x6xf32>
  %5 = graph.add %2, %4 : (tensor<BATCHx4x7x6xf32>, tensor<BATCHx4x7x6xf32>) -> tensor<BATCHx4x7x6xf32>
  %6 = graph.mean %5 dims = [2, 3] : (tensor<BATCHx4x7x6xf32>) -> tensor<BATCHx4xf32>
  %7 = graph.matmul %6, %linear : (tensor<BATCHx4xf32>, tensor<4x5xf32>) -> tensor<BATCHx5xf32>
  %8 = graph.batch_norm %7 weight %bn3.weight bias %bn3.bias running %bn3.running_mean, %bn3.running_var WORDS : (tensor<BATCHx5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<BATCHx5xf32>
  %loss = graph.cross_entropy %8, %label : (tensor<BATCHx5xf32>, tensor<BATCHxi32>) -> tensor<f32>
  return %loss, %8 : tensor<f32>, tensor<BATCHx5xf32>
}
"""
STATISTICS = [name for name in d.weights() if "running" in name]


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, command)) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)
    return result.stdout


def require(condition, what):
    if not condition:
        sys.exit("check.py: " + what)


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        part = value.tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def read_safetensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    types = {"F32": "<f4", "I32": "<i4", "F16": "<f2", "BF16": "<u2"}
    return {name: np.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], types[entry["dtype"]])
            for name, entry in json.loads(data[8:8 + size]).items() if name != "__metadata__"}


def arguments():
    for name, value in d.weights().items():
        shape = "x".join(map(str, value.shape))
        if "running" in name:
            first = "#graph.fill<1.0>" if name.endswith("var") else "#graph.zeros"
            mark = f'graph.state = #graph.state<"{name}" running_statistic init {first}>'
        else:
            mark = f'graph.parameter = "{name}", graph.init = #graph.zeros'
        yield f"    %{name}: tensor<{shape}xf32> {{{mark}}}"


class Net:
    def __init__(self, options):
        self.folder, self.cuda = options.folder, options.cuda
        write_safetensors(self.folder / "weights", d.weights())

    def compile(self, words="", parts=1, settings=()):
        text = MODEL.replace("ARGUMENTS", ",\n".join(arguments())).replace("WORDS", words)
        text = text.replace("LEARNING_RATE", str(d.LR)).replace("BATCH", str(d.BATCH // parts))
        model, planned, program = (self.folder / name for name in ("net.mlir", "exec.mlir", "net.mpcx"))
        model.write_text(text)
        settings = [f"--accumulate={parts}", *settings]
        if self.cuda:
            run("mpc-opt", model, "--compile-to=exec", "--target=cuda", "-o", planned, *settings)
            run("emulate-cuda", planned, program)
        else:
            run("mpc-compile", model, "-o", program, *settings)
        return program

    def train(self, program, inputs, steps, *words):
        """The states that are left, and the metrics of the steps."""
        saved, metrics = self.folder / "saved", self.folder / "metrics"
        begin = [] if "--resume" in words else ["--no-shuffle", "--weights", self.folder / "weights"]
        run("mpc-run", "train", program, "--steps", steps, "--save", saved, "--metrics", metrics,
            *self.save_inputs(inputs), *begin, *words)
        return read_safetensors(saved), [json.loads(line) for line in metrics.read_text().splitlines()]

    def save_inputs(self, inputs):
        for name, value in inputs.items():
            np.save(self.folder / f"{name}.npy", value)
            yield from ["--input", f"{name}={self.folder / name}.npy"]

    def answer(self, program, x):
        """What the model says of `x` by what was saved last."""
        run("mpc-run", "predict", program, "--weights", self.folder / "saved", "--output",
            f"logits={self.folder}/logits.npy", *self.save_inputs({"x": x}))
        return np.load(self.folder / "logits.npy")


def compare(net, case, words="", parts=1, settings=(), limits=(2e-5, 2e-6)):
    expected = json.loads(pathlib.Path(__file__).with_name("expected.json").read_text())[case]
    limits = dict(zip(("rtol", "atol"), limits))
    program = net.compile(words, parts, settings)
    states, metrics = net.train(program, d.inputs(), d.STEPS)
    np.testing.assert_allclose([line["loss"] for line in metrics], expected["losses"], err_msg=case, **limits)
    for name in STATISTICS:
        np.testing.assert_allclose(states[name], expected["states"][name], err_msg=f"{case}, {name}", **limits)
    require(not any(name.endswith(".sum") for name in states), "sums over micro-batches were saved")
    answers = net.answer(program, d.inputs()["x"][:d.BATCH])
    np.testing.assert_allclose(answers, expected["answers"], err_msg=case, rtol=10 * limits["rtol"],
                               atol=100 * limits["atol"])


def resume(net):
    program = net.compile()
    whole, _ = net.train(program, d.inputs(), 6)
    net.train(program, d.inputs(), 3)
    (net.folder / "saved").rename(net.folder / "half")
    again, _ = net.train(program, d.inputs(), 6, "--resume", net.folder / "half")
    require(whole.keys() == again.keys() and all(np.array_equal(whole[name], again[name]) for name in whole),
            "a run that is resumed ends in other states")


def overflow(net, parts):
    """The first of two steps, and of it each micro-batch by turns, is beyond f16."""
    settings = ["--precision=fp16", "--loss-scale=dynamic", "--scale-init=256"]
    program = net.compile("", parts, settings)
    good = {name: value[:d.BATCH] for name, value in d.inputs().items()}
    expected, _ = net.train(program, good, 1)
    size = d.BATCH // parts
    for part in range(parts):
        twice = {name: np.concatenate([value, value]) for name, value in good.items()}
        twice["x"][part * size:(part + 1) * size] *= 1e6
        program = net.compile("", parts, settings)
        states, metrics = net.train(program, twice, 2)
        require([line["found_inf"] for line in metrics] == [True, False], "the first step alone was to be skipped")
        for name in STATISTICS:
            require(np.array_equal(states[name], expected[name]), f"a skipped step has changed {name}")
        for name in d.PARAMETERS: # The scale is another one.
            np.testing.assert_allclose(states[name], expected[name], err_msg=name, rtol=1e-2, atol=1e-3)
        program = net.compile("", parts, [*settings, "--skipped-statistics=update"])
        states, _ = net.train(program, twice, 2)
        require(not np.isfinite(states["bn1.running_var"]).all(), "running statistics took no overflow in")
        for name in d.PARAMETERS:
            require(np.isfinite(states[name]).all(), f"{name} took the overflow in")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cuda")
    options = parser.parse_args()
    net = Net(options)
    compare(net, "unbiased")
    compare(net, "population", "population")
    # Emulated warps add in another order each time, and ten steps of batches of four make more of that.
    compare(net, "parts", parts=2, limits=(2e-4, 2e-5) if net.cuda else (4e-5, 4e-6))
    compare(net, "unbiased", settings=["--precision=bf16"], limits=(0.1, 0.05))
    resume(net)
    overflow(net, 1)
    overflow(net, 2)


main()
