"""Metrics of parameter groups against what the weights did, step by step.

usage: group-metrics.py FOLDER
"""
import json
import math
import os
import struct
import subprocess
import sys

os.chdir(sys.argv[1])
STEPS, SAMPLES = 4, 8
MODEL = """
func.func @m(%x: tensor<8x2xf32> {graph.input = "x"},
             %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
             %b: tensor<2xf32> {graph.parameter = "b", graph.init = #graph.fill<0.5>})
    -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "largest"}, tensor<i32> {graph.output = "seven"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.25>, clip = #graph.clip<nonfinite = "error">,
      groups = [#graph.parameter_group<name = "biases", pattern = "b",
                                       optimizer = #graph.optimizer<name = "sgd", lr = 0.125>,
                                       schedule = #graph.schedule<kind = "step", period = 2, gamma = 0.5>>]>} {
  %0 = graph.mul %x, %w : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %1 = graph.add %0, %b : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %2 = graph.mul %1, %1 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %largest = graph.max %2 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %seven = graph.constant dense<7> : tensor<i32>
  return %loss, %largest, %seven : tensor<f32>, tensor<f32>, tensor<i32>
}
"""


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def read(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data = json.loads(file.read(size)), file.read()
    return {name: struct.unpack("<2f", data[slice(*header[name]["data_offsets"])]) for name in ("w", "b")}


def train(steps):
    run("mpc-run", "train", "m.mpcx", "--input", "x=x.raw", f"--steps={steps}", "--no-shuffle", "--save=w", "--metrics=m.jsonl")
    return read("w")


def distance(before, after):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(before, after)))


x = [math.sin(3 * i) for i in range(2 * SAMPLES)]
with open("x.raw", "wb") as file:
    file.write(struct.pack(f"<{len(x)}f", *x))
with open("m.mlir", "w") as file:
    file.write(MODEL)
run("mpc-compile", "m.mlir", "-o", "m.mpcx")

weights = [train(steps) for steps in range(STEPS + 1)]
with open("m.jsonl") as file:  # of the last of them
    lines = [json.loads(line) for line in file]
for step, line in enumerate(lines):
    before, after = weights[step], weights[step + 1]
    assert line["lr"] == 0.25 and line["effective_step"] == step + 1, line
    assert line["biases.lr"] == 0.125 * 0.5 ** (step // 2), line
    assert line["biases.step"] == step + 1 and isinstance(line["biases.step"], int), line
    assert line["nonfinite_grad"] is False and line["seven"] == 7, line
    # SGD moves by rate times gradient.
    of_group = distance(before["b"], after["b"]) / line["biases.lr"]
    of_all = math.hypot(distance(before["w"], after["w"]) / line["lr"], of_group)
    assert math.isclose(line["biases.grad_norm"], of_group, rel_tol=1e-5), (line, of_group)
    assert math.isclose(line["grad_norm"], of_all, rel_tol=1e-5), (line, of_all)
    largest = max((x[i] * before["w"][i % 2] + before["b"][i % 2]) ** 2 for i in range(len(x)))
    assert math.isclose(line["largest"], largest, rel_tol=1e-5), (line, largest)
    assert list(line).count("step") == 1 and line["step"] == step + 1, line
print(len(lines), "lines agree with the weights")
