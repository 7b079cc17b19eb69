"""Checks that every word which completion offers for a setting is one that the compiler takes."""
import re
import subprocess
import sys

# All that a setting may need: two losses, parameters in a group and in none, and running statistics.
MODEL = """func.func @model(%v: tensor<2xf32> {graph.parameter = "v"}, %w: tensor<2xf32> {graph.parameter = "w"},
                 %m: tensor<1xf32> {graph.state = #graph.state<"m" running_statistic init #graph.zeros>},
                 %n: tensor<1xf32> {graph.state = #graph.state<"n" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss = "main"}, tensor<f32> {graph.loss = "aux"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 1.0>, groups = [
      #graph.parameter_group<name = "one", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 1.0>>]>} {
  %column = graph.reshape %v : (tensor<2xf32>) -> tensor<2x1xf32>
  %norm = graph.batch_norm %column running %m, %n : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  %0 = graph.sum %norm dims = [0, 1] : (tensor<2x1xf32>) -> tensor<f32>
  %1 = graph.sum %w dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}"""
# What a word, or every word of a setting, needs beside itself.
WITH = {"optimizer": "lr=1", "autocast": "precision=bf16", "lists": "precision=bf16 autocast=torch",
        "output": "precision=bf16 autocast=whole", "keep-normalization": "precision=bf16 autocast=whole",
        "weight-copies": "precision=bf16", "master": "optimizer=sgd lr=1", "clip-formula": "clip-norm=1",
        "nesterov": "momentum=0.5", "centered": "optimizer=rmsprop lr=1",
        "clip-scope": "clip-norm=1", "scale-refill": "loss-scale=dynamic scale-hysteresis=2",
        "linear": "total-steps=9", "cosine": "total-steps=9", "schedule=step": "decay-period=2",
        "reduce-each": "accumulate=2", "skipped-statistics": "loss-scale=dynamic"}

script = subprocess.run(["mpc-compile", "--help=bash"], capture_output=True, text=True, check=True).stdout
count = 0
for name, words in re.findall(r'^    --([a-z-]+)\) words="([^"]+)"', script, re.M):
    if name in ("target", "lint", "reduce", "batch-norm-variance", "frozen"):  # not of apply-options
        continue
    for word in words.split():
        beside = WITH.get(f"{name}={word}") or WITH.get(word) or WITH.get(name, "loss-scale=dynamic" if name.startswith("scale-") else "")
        option = f"--mpc-apply-options={name}={word} {beside}"
        done = subprocess.run(["mpc-opt", option], input=MODEL, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}={word}: {done.stderr}")
        count += 1
print(count, "words")
