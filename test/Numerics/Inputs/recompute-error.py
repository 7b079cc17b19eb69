"""Gradients of a step that recomputes, and of one that keeps all, against NumPy in f64.

    recompute-error.py FOLDER MPC-COMPILE MPC-RUN

The rule: err(recomputed) <= 2 err(kept) + floor, of each parameter's gradient, with err the largest difference to f64 over
several batches, relative to the gradient's largest element. The floor is a rounding of that in f32.
"""
import json
import math
import pathlib
import subprocess
import sys

import numpy

MODEL = """func.func @m(%x: tensor<512x32xf32> {graph.input = "x"}, %t: tensor<512x16xf32> {graph.input = "t"},
    %w0: tensor<32x128xf32> {graph.parameter = "w0", graph.init = #graph.normal<0.0, 0.2>},
    %w1: tensor<128x128xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.5>},
    %w2: tensor<128x16xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.0>>} {
  %h = graph.autocast_region <name = "segment"RECOMPUTE> -> tensor<512x128xf32> {
    %0 = graph.matmul %x, %w0 : (tensor<512x32xf32>, tensor<32x128xf32>) -> tensor<512x128xf32>
    %1 = graph.gelu %0 : tensor<512x128xf32>
    %2 = graph.softmax %1 dim = 1 : (tensor<512x128xf32>) -> tensor<512x128xf32>
    %3 = graph.matmul %2, %w1 : (tensor<512x128xf32>, tensor<128x128xf32>) -> tensor<512x128xf32>
    graph.yield %3 : tensor<512x128xf32>
  }
  %g = graph.tanh %h : tensor<512x128xf32>
  %y = graph.matmul %g, %w2 : (tensor<512x128xf32>, tensor<128x16xf32>) -> tensor<512x16xf32>
  %l = graph.mse %y, %t : (tensor<512x16xf32>, tensor<512x16xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
"""
NAMES = ["w0", "w1", "w2"]
BATCHES = 4
UNITS = {"fp32": 2.0 ** -24, "bf16": 2.0 ** -8, "fp16": 2.0 ** -11}


def read_weights(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header, data = json.loads(data[8:8 + size]), data[8 + size:]
    return {name: numpy.frombuffer(data[header[name]["data_offsets"][0]:header[name]["data_offsets"][1]],
                                   "<f4").reshape(header[name]["shape"]).astype(float) for name in NAMES}


def exact(x, t, w):
    """Forward and backward of the model in f64."""
    u = x @ w["w0"]
    cdf = 0.5 * (1 + numpy.vectorize(math.erf)(u / math.sqrt(2)))
    gelu = u * cdf
    e = numpy.exp(gelu - gelu.max(1, keepdims=True))
    s = e / e.sum(1, keepdims=True)
    g = numpy.tanh(s @ w["w1"])
    dy = 2 * (g @ w["w2"] - t) / t.size
    dh = dy @ w["w2"].T * (1 - g * g)
    ds = dh @ w["w1"].T
    dgelu = s * (ds - (ds * s).sum(1, keepdims=True))
    du = dgelu * (cdf + u * numpy.exp(-u * u / 2) / math.sqrt(2 * math.pi))
    return {"w0": x.T @ du, "w1": s.T @ dh, "w2": g.T @ dy}


class Bench:
    def __init__(self, folder, compiler, runner):
        self.folder, self.compiler, self.runner = folder, compiler, runner
        random = numpy.random.default_rng(15)
        self.batches = [[random.standard_normal((512, width), numpy.float32) for width in (32, 16)] for _ in range(BATCHES)]
        (folder / "kept.mlir").write_text(MODEL.replace("RECOMPUTE", ""))
        (folder / "recomputed.mlir").write_text(MODEL.replace("RECOMPUTE", ", recompute = true"))

    def compile(self, model, *options):
        return subprocess.run([self.compiler, self.folder / f"{model}.mlir", "-o", self.folder / "p.mpcx",
                               "--output-gradients=.*", *options], capture_output=True, text=True)

    def errors(self, model, *options):
        """The error of each gradient."""
        done = self.compile(model, *options)
        if done.returncode:
            sys.exit(done.stderr)
        errors = dict.fromkeys(NAMES, 0.0)
        for batch in self.batches:
            truth, found = self.run(*batch)
            for name in NAMES:
                errors[name] = max(errors[name], abs(found[name] - truth[name]).max() / abs(truth[name]).max())
        return errors

    def run(self, x, t):
        """The gradients of one step on `x` and `t`: what they are, and what the program says."""
        numpy.save(self.folder / "x.npy", x)
        numpy.save(self.folder / "t.npy", t)
        outputs = [word for name in NAMES for word in ("--output", f"gradient.{name}={self.folder}/{name}.npy")]
        subprocess.run([self.runner, "train", self.folder / "p.mpcx", "--steps", "1", "--no-shuffle", "--input",
                        f"x={self.folder}/x.npy", "--input", f"t={self.folder}/t.npy", "--save", self.folder / "w",
                        *outputs], check=True, capture_output=True)
        return (exact(x.astype(float), t.astype(float), read_weights(self.folder / "w")),
                {name: numpy.load(self.folder / f"{name}.npy").astype(float) for name in NAMES})

    @staticmethod
    def compare(what, unit, kept, recomputed):
        for name in NAMES:
            before, after = kept[name], recomputed[name]
            print(f"{what} {name}: {before:.2e} of the largest element, recomputed {after:.2e}")
            if not before < 16 * unit:
                sys.exit(f"expected a gradient of {name} within 16 roundings of f64")
            if not after <= 2 * before + 2.0 ** -24:
                sys.exit(f"{what}: expected an error of at most twice {before} in the gradient of {name}, but got {after}")


def main():
    bench = Bench(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    for precision, unit in UNITS.items():
        options = [f"--precision={precision}"] + (["--loss-scale=1024"] if precision == "fp16" else [])
        bench.compare(precision, unit, bench.errors("kept", *options), bench.errors("recomputed", *options))


if __name__ == "__main__":
    main()
