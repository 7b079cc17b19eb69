"""Gradients of maxima in 16 bits, of random models in which many kernels need the values that are compared.

usage: max-gradients.py FOLDER [--cuda]

A head computes a tensor, adds a parameter `s` to each row and takes maxima. However numbers are rounded, the gradient of a
maximum is shared by the elements that are largest, and adds up to 1: over `s`, that of the mean of all maxima adds up to the
slope of what stands between, and that of the mean distance to the maximum to 0.
With --cuda the programs are for CUDA, with emulated kernels on a device made of host memory.
"""
import os
import subprocess
import sys

import numpy

folder, cuda = sys.argv[1], "--cuda" in sys.argv
ROWS, INNER, COLUMNS, HEADS = 16, 9, 12, 6
FULL, ROW_MAXIMA, COLUMN_MAXIMA = f"{ROWS}x{COLUMNS}", f"{ROWS}x1", f"1x{COLUMNS}"
# A share of the gradient and the sum of shares over a column are rounded to bf16, 2^-9 each.
LIMIT = 0.02
UNARY, BINARY = ["tanh", "gelu", "relu", "sigmoid", "neg", "exp"], ["mul", "add", "sub"]
os.chdir(folder)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"


def type_of(shape):
    return f"tensor<{shape}{'x' if shape else ''}f32>"


class Model:
    """A value is a pair of its name and its shape."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.arguments, self.body, self.losses, self.expected = [], [], [], {}
        self.x = self.argument("x", f"{ROWS}x{INNER}", "graph.input")
        products = [self.op("matmul", [self.x, self.parameter(name, f"{INNER}x{COLUMNS}")], FULL) for name in "uvw"]
        for number in range(HEADS):
            self.add_head(f"s{number}", products)
        loss = self.losses[0]
        for other in self.losses[1:]:
            loss = self.op("add", [loss, other], "")
        self.body.append(f"  return {loss[0]} : tensor<f32>")

    def text(self):
        return f"func.func @f({', '.join(self.arguments)}) -> (tensor<f32> {{graph.loss}}) {{\n" + "\n".join(self.body) + "\n}\n"

    def argument(self, name, shape, mark):
        self.arguments.append(f'%{name}: {type_of(shape)} {{{mark} = "{name}"}}')
        return f"%{name}", shape

    def parameter(self, name, shape):
        return self.argument(name, shape, "graph.init = #graph.normal<0.0, 0.3>, graph.parameter")

    def op(self, name, operands, shape, attributes=""):
        value = f"%{len(self.body)}", shape
        names, types = ", ".join(name for name, _ in operands), ", ".join(type_of(shape) for _, shape in operands)
        signature = types if name in UNARY else f"({types}) -> {type_of(shape)}"
        self.body.append(f"  {value[0]} = graph.{name} {names}{attributes} : {signature}")
        return value

    def half(self):
        value = f"%{len(self.body)}", ""
        self.body.append(f"  {value[0]} = graph.constant dense<0.5> : tensor<f32>")
        return value

    def some(self, values):
        return values[self.random.integers(len(values))]

    def add_head(self, name, products):
        values = list(products)
        for _ in range(self.random.integers(5)):
            kind = self.some(UNARY[:-1] + BINARY)
            operands = [self.some(values) for _ in range(2 if kind in BINARY else 1)]
            values.append(self.op(kind, operands, FULL))
        s, slope = self.parameter(name, str(COLUMNS)), 1.0
        value = self.op("add", [values[-1], s], FULL)
        for kind in [self.some(["neg", "half", "add", "sub"]) for _ in range(self.random.integers(3))]:
            if kind == "neg":
                value, slope = self.op(kind, [value], FULL), -slope
            elif kind == "half":
                value, slope = self.op("mul", [value, self.half()], FULL), slope / 2
            else:
                value = self.op(kind, [value, self.some(values)], FULL)
        averaged, factor = self.add_maxima(value)
        for tensor in averaged:
            self.losses.append(self.op("mean", [tensor], "", " dims = [0, 1]"))
        self.expected[name] = slope * factor

    def add_maxima(self, value):
        """What has to be averaged, and the sum of the gradients of the averages."""
        kind = self.some(["rows", "columns", "all", "distance", "exp", "maximum"])
        if kind == "columns":
            return [self.op("max", [value], COLUMN_MAXIMA, " dims = [0] keep")], 1
        if kind == "all":
            return [self.op("max", [value], "1x1", " dims = [0, 1] keep")], 1
        if kind == "maximum":  # half of the gradient for either operand where they are equal
            return [self.op("maximum", [value, self.op("max", [value], COLUMN_MAXIMA, " dims = [0] keep")], FULL)], 1
        maxima = self.op("max", [value], ROW_MAXIMA, " dims = [1] keep")
        if kind == "rows":
            return [maxima], 1
        distance = self.op("sub", [value, maxima], FULL)
        # exp runs in f32, and feels the distance alone.
        return ([distance], 0) if kind == "distance" else ([self.op("exp", [distance], FULL), maxima], 1)


def check(seed, *settings):
    model = Model(seed)
    with open("model.mlir", "w") as file:
        file.write(model.text())
    settings = [*settings, "--optimizer=sgd", "--lr=0", "--output-gradients=s.*"]
    if cuda:
        run("mpc-opt", "model.mlir", "--compile-to=exec", "--target=cuda", "-o", "exec.mlir", *settings)
        run("emulate-cuda", "exec.mlir", "model.mpcx")
    else:
        run("mpc-compile", "model.mlir", "-o", "model.mpcx", *settings)
    numpy.save("x.npy", numpy.random.default_rng(seed).normal(size=(ROWS, INNER)).astype(numpy.float32))
    run("mpc-run", "train", "model.mpcx", "--input", "x=x.npy", "--no-shuffle", "--steps=1",
        *(f"--output=gradient.{name}={name}.npy" for name in model.expected))
    for name, expected in model.expected.items():
        got = numpy.load(f"{name}.npy").sum()
        assert abs(got - expected) <= LIMIT, f"{seed} {settings[0]} {name}: {expected} expected, {got} found\n{model.text()}"


for seed in range(3 if cuda else 6):
    for settings in (["--precision=bf16"], ["--precision=fp16", "--loss-scale=1024"]):
        check(seed, *settings)
print("all gradients add up")
