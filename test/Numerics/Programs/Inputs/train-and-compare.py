"""Trains a compiled model and compares what it leaves with the reference.

usage: train-and-compare.py MODEL.mlir FOLDER [options] [-- options of mpc-compile]

The model is compiled and trained by mpc-run on one batch of random data, from
random parameters and running statistics. The reference interpreter evaluates the same step, as it is
after simplify, on the same numbers. The loss, the outputs of the forward entry
and every state must agree, within --rtol and --atol or, with --error-rule, as test/Reference/ErrorRule.h says:
twice as far off as op by op in the same formats.

With --cuda BUILD the same is done once more for CUDA, with emulated kernels on a
device made of host memory (docs/Cuda.md, "Whole programs").
"""
import argparse
import json
import os
import struct
import subprocess
import sys

import numpy

TYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<f4", "i64": "<i8", "i32": "<i4", "i1": "|b1"}
FEW, SAMPLES = 16, 16  # As test/Reference/ErrorRule.h has it, and KernelsTest.
TENSOR_TYPES = {"BF16": "<u2", "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(command) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)
    return result.stdout


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        bytes_ = tensor.tobytes()
        dtype = {"<f8": "F64", "<f4": "F32", "<f2": "F16"}[tensor.dtype.str]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in TENSOR_TYPES:
            continue
        begin, end = entry["data_offsets"]
        if entry["dtype"] == "BF16":
            array = (numpy.frombuffer(data[begin:end], "<u2").astype("<u4") << 16).view("<f4")
            yield name, array.reshape(entry["shape"])
            continue
        array = numpy.frombuffer(data[begin:end], TENSOR_TYPES[entry["dtype"]])
        yield name, array.reshape(entry["shape"])


class Case:
    def __init__(self, options, compile_options, cuda):
        self.options = options
        self.compile_options = compile_options
        self.cuda = cuda
        self.folder = options.folder
        self.seed = options.seed
        self.errors = {}  # Of results, by the error rule: actual, plain, floor, count.

    def path(self, name):
        return f"{self.folder}/{name}"

    def values(self, shape, dtype):
        if dtype == "i1":
            return self.random.random(shape) < 0.5
        if dtype[0] == "i":
            return self.random.integers(0, self.options.classes, shape).astype(TYPES[dtype])
        low, high = self.options.low, self.options.high
        values = numpy.asarray(self.random.uniform(low, high, shape)).astype(TYPES[dtype])
        if dtype == "bf16":  # as f32 numbers that bf16 has
            return (values.view("<u4") & 0xFFFF0000).view("<f4")
        return values

    def save(self, name, values, kind="given"):
        path = self.path(f"{kind}-{name}.npy")
        numpy.save(path, values)
        return f"{name}={path}"

    def compile(self):
        program = self.path("model.mpcx")
        if self.cuda:
            planned = self.path("exec.mlir")
            run("mpc-opt", self.options.model, "--compile-to=exec", "--target=cuda", "-o", planned,
                *self.compile_options)
            run("emulate-cuda", planned, program)
        else:
            run("mpc-compile", self.options.model, "-o", program, *self.compile_options)
        self.info = json.loads(run("mpc-run", "info", "--json", self.path("model.mpcx")))
        self.step = next(e for e in self.info["entries"] if e["name"] == "step")

    def make_data(self):
        self.random = numpy.random.default_rng(self.seed)
        self.inputs = []
        for tensor in self.step["inputs"]:
            values = self.values(tensor["shape"], tensor["type"])
            self.inputs.append(self.save(tensor["name"], values))
        self.parameters = {
            state["name"]: self.values(state["shape"], state["type"])
            for state in self.info["states"] if state["role"] == "parameter"}
        for state in self.info["states"]:  # Some are variances.
            if state["role"] == "running_statistic":
                self.parameters[state["name"]] = abs(self.values(state["shape"], state["type"])) + 0.5
        write_safetensors(self.path("initial"), self.parameters)

    def files(self):
        return [word for entry in self.inputs for word in ("--input", entry)]

    def reference(self, function, steps, expected):
        given = self.inputs + [self.save(name, value) for name, value in self.parameters.items()]
        rounding = ["--error-rule"] if self.options.error_rule else ["--rounded"] if self.options.rounded else []
        text = run("graph-eval", self.path("simplify.mlir"), f"--function={function}",
                   f"--steps={steps}", f"--rtol={self.options.rtol}",
                   f"--atol={self.options.atol}", *rounding,
                   *[f"--input={entry}" for entry in given],
                   *[f"--expect={entry}" for entry in expected])
        for line in text.splitlines():
            if self.options.error_rule and line.startswith("errors "):
                *numbers, name = line.split(" ", 5)[1:]
                errors = [float(number) for number in numbers]
                known = self.errors.get((function, name), errors)
                self.errors[function, name] = [max(pair) for pair in zip(known, errors)]
        return "" if self.options.error_rule else text

    def broken(self, few=False):
        """Results that are too far off; those of few numbers, which may be right by luck op by op."""
        return [(name, errors) for name, errors in self.errors.items()
                if errors[0] > 2 * errors[1] + errors[2] and (errors[3] <= FEW or not few)]

    def compare_step(self):
        steps = self.options.steps
        threads = [] if self.cuda else ["--threads", str(self.options.threads)]
        run("mpc-run", "train", self.path("model.mpcx"), *self.files(), "--weights",
            self.path("initial"), "--convert", "--steps", str(steps), "--no-shuffle", *threads, "--save", self.path("final"), "--metrics",
            self.path("metrics"))
        with open(self.path("metrics")) as file:
            losses = [json.loads(line)["loss"] for line in file]
        expected = [f"loss={losses[-1]!r}"]
        with open(self.path("simplify.mlir")) as file:
            graph = file.read()
        for name, values in read_safetensors(self.path("final")):
            if f'graph.updates = "{name}"' in graph:
                expected.append("updates " + self.save(name, values, "trained"))
        return self.reference(self.info["model"] + "_step", steps, expected)

    def compare_forward(self):
        forward = next(e for e in self.info["entries"] if e["name"] == "forward")
        outputs = [o for o in forward["outputs"] if o["shape"] and o["type"] in TYPES]
        if not outputs:
            return ""
        expected = [f"{o['name']}={self.path(o['name'])}.npy" for o in outputs]
        run("mpc-run", "eval", self.path("model.mpcx"), *self.files(), "--weights",
            self.path("initial"), "--convert", *[w for e in expected for w in ("--output", e)])
        for output in outputs:  # Those of no sample come once per batch.
            path = self.path(output["name"]) + ".npy"
            numpy.save(path, numpy.load(path).reshape(output["shape"]))
        return self.reference(self.info["model"], 1, ["output " + e for e in expected])

    def run(self):
        self.compile()
        self.make_data()
        run("mpc-opt", self.options.model, "--compile-to=simplify", "-o",
            self.path("simplify.mlir"), *self.compile_options)
        sys.stdout.write(self.compare_step())
        sys.stdout.write(self.compare_forward())
        while self.broken(few=True) and self.seed < self.options.seed + SAMPLES:
            self.seed += 1
            self.make_data()
            self.compare_step()
            self.compare_forward()
        for (function, name), (actual, plain, floor, _) in self.broken():
            sys.exit(f"@{function}: {name}: error {actual}, op by op {plain}, floor {floor}")
        if self.errors:
            print(f"within the error rule: {len(self.errors)} results")


def main():
    own, compile_options = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, compile_options = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("folder")
    for name, default in (("steps", 3), ("seed", 1), ("classes", 2), ("threads", 2)):
        parser.add_argument("--" + name, type=int, default=default)
    for name, default in (("low", -1), ("high", 1), ("rtol", 1e-4), ("atol", 1e-5)):
        parser.add_argument("--" + name, type=float, default=default)
    parser.add_argument("--rounded", action="store_true")
    parser.add_argument("--error-rule", action="store_true")
    parser.add_argument("--cuda")
    options = parser.parse_args(own)
    for cuda in [False, True] if options.cuda else [False]:
        subprocess.run(["rm", "-rf", options.folder], check=True)
        subprocess.run(["mkdir", "-p", options.folder], check=True)
        if cuda:
            os.environ["MPC_CUDA_PLUGIN"] = f"{options.cuda}/lib/EmulatedCuda.so"
        Case(options, compile_options, cuda).run()


if __name__ == "__main__":
    main()
