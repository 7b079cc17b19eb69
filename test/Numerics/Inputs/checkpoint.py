"""What a step changes is in the checkpoint, or is computed from it.

usage: checkpoint.py FOLDER

The updates of the program before its plan (mpc-convert-graph-to-exec) say which
states an entry changes; the checkpoint of mpc-run says which it holds. What is missing
must be a weight copy, which the entry `init` computes, or an accumulator, which
is zero between steps. A run that is stopped and resumed ends in the same bytes,
so that what is computed again is what it was. The settings below have states of
every role; one that is new must be met here, too.
"""
import json
import re
import struct
import subprocess
import sys

import numpy

FOLDER = sys.argv[1]
ROLES = {"parameter", "weight_copy", "moment", "loss_scale", "scaler", "step_counter", "counter",
         "learning_rate", "hyperparameter",
         "accumulator", "compensation", "running_statistic"}
MODEL = """func.func @net(%x: tensor<8x6xf32> {graph.input = "x"}, %t: tensor<8x3xf32> {graph.input = "t"},
    %w: tensor<6x3xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.5>},
    %b: tensor<3xf32> {graph.parameter = "b", graph.init = #graph.uniform<-0.5, 0.5>},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %1 = graph.batch_norm %0 bias %b running %mean, %variance : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  %l = graph.mse %1, %t : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
"""
SETTINGS = [
    ["--optimizer=sgd", "--lr=0.1"],
    ["--optimizer=sgd", "--lr=0.1", "--momentum=0.9", "--precision=fp16", "--loss-scale=dynamic"],
    ["--optimizer=adamw", "--lr=0.01", "--precision=fp16", "--loss-scale=megatron",
     "--scale-interval=2", "--accumulate=2", "--clip-norm=1",
     "--schedule=cosine", "--warmup-steps=2", "--total-steps=20"],
    ["--optimizer=adam", "--lr=0.01", "--precision=bf16", "--master=bf16_kahan"],
    ["--optimizer=adam", "--lr=0.01", "--precision=bf16", "--master=bf16_stochastic"],
    ["--optimizer=rmsprop", "--lr=0.01", "--momentum=0.5", "--centered=true", "--precision=bf16"],
    ["--optimizer=adagrad", "--lr=0.01"],
    ["--optimizer=lamb", "--lr=0.01", "--precision=bf16", "--weight-copies=on-the-fly"],
]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(command) + "\n" + result.stdout + result.stderr)
    return result.stdout


def read_states(settings):
    """{name: role}, and the names that entries change: {entry: names}."""
    run("mpc-opt", f"{FOLDER}/net.mlir", "--compile-to=group", *settings, "-o", f"{FOLDER}/group.mlir")
    text = run("mpc-opt", f"{FOLDER}/group.mlir", "--mpc-convert-graph-to-exec")
    roles = dict(re.findall(r'exec\.state_decl "([^"]+)"\s+(\w+)', text))
    changes = {}
    for part in re.split(r"^  exec\.entry ", text, flags=re.M)[1:]:
        entry = re.match(r"@(\w+)", part).group(1)
        changes[entry] = set(re.findall(r'exec\.update "([^"]+)"', part))
    return roles, changes


def read_names(checkpoint):
    with open(checkpoint, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        return set(json.loads(file.read(size))) - {"__metadata__"}


def train(program, checkpoint, *arguments):
    run("mpc-run", "train", program, f"--input=x={FOLDER}/x.npy", f"--input=t={FOLDER}/t.npy",
        f"--save={checkpoint}", *arguments)


def check(settings):
    roles, changes = read_states(settings)
    changed = changes["step"] | changes.get("accumulate", set())
    assert changed and changed <= set(roles), (settings, changes, roles)
    run("mpc-compile", f"{FOLDER}/net.mlir", "-o", f"{FOLDER}/net.mpcx", *settings)
    train(f"{FOLDER}/net.mpcx", f"{FOLDER}/whole", "--steps=9", "--seed=5")
    missing = changed - read_names(f"{FOLDER}/whole")
    for name in missing:
        derived = roles[name] == "weight_copy" and name in changes.get("init", set())
        assert derived or roles[name] == "accumulator", f"{settings}: '{name}' ({roles[name]}) is not saved"
    train(f"{FOLDER}/net.mpcx", f"{FOLDER}/part", "--steps=4", "--seed=5")
    train(f"{FOLDER}/net.mpcx", f"{FOLDER}/part", "--steps=9", f"--resume={FOLDER}/part")
    with open(f"{FOLDER}/whole", "rb") as whole, open(f"{FOLDER}/part", "rb") as part:
        assert whole.read() == part.read(), f"{settings}: a resumed run ends elsewhere"
    return {roles[name] for name in changed} | set(roles.values())


with open(f"{FOLDER}/net.mlir", "w") as file:
    file.write(MODEL)
numbers = numpy.random.default_rng(1)
numpy.save(f"{FOLDER}/x.npy", numbers.standard_normal((64, 6), numpy.float32))
numpy.save(f"{FOLDER}/t.npy", numbers.standard_normal((64, 3), numpy.float32))
seen = set().union(*map(check, SETTINGS))
assert seen == ROLES, f"roles not met, or not known: {seen ^ ROLES}"
