"""Case A15: two models that differ in a region that is recomputed, and their training compared.

    a15-checkpointed-segment.py DIR                          writes DIR/kept.mlir and DIR/recomputed.mlir
    a15-checkpointed-segment.py DIR --compare COMPILE RUN    trains both in all precisions
"""
import pathlib
import subprocess
import sys

import numpy

MODEL = """func.func @m(%x: tensor<64x32xf32> {graph.input = "x"}, %t: tensor<64x16xf32> {graph.input = "t"},
    %w0: tensor<32x128xf32> {graph.parameter = "w0", graph.init = #graph.normal<0.0, 0.2>},
    %w1: tensor<128x128xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.1>},
    %w2: tensor<128x16xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.01>>} {
  %h = graph.autocast_region <name = "segment"RECOMPUTE> -> tensor<64x128xf32> {
    %0 = graph.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %1 = graph.gelu %0 : tensor<64x128xf32>
    %2 = graph.dropout %1 ratio = 0.25 : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %3 = graph.softmax %2 dim = 1 : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %4 = graph.matmul %3, %w1 : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    graph.yield %4 : tensor<64x128xf32>
  }
  %g = graph.tanh %h : tensor<64x128xf32>
  %y = graph.matmul %g, %w2 : (tensor<64x128xf32>, tensor<128x16xf32>) -> tensor<64x16xf32>
  %l = graph.mse %y, %t : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
"""
PRECISIONS = [["--precision=fp32"], ["--precision=bf16"], ["--precision=fp16", "--loss-scale=dynamic"],
              ["--precision=bf16", "--accumulate=2"]]
NAMES = ["w0", "w1", "w2"]


def write(folder):
    (folder / "kept.mlir").write_text(MODEL.replace("RECOMPUTE", ""))
    (folder / "recomputed.mlir").write_text(MODEL.replace("RECOMPUTE", ", recompute = true"))
    random = numpy.random.default_rng(15)
    numpy.save(folder / "x.npy", random.standard_normal((128, 32), numpy.float32))
    numpy.save(folder / "t.npy", random.standard_normal((128, 16), numpy.float32))


def train(folder, model, options, compiler, runner):
    """The gradients of the last of three steps, which depend on the updates of those before."""
    subprocess.run([compiler, folder / f"{model}.mlir", "-o", folder / "p.mpcx", "--rounding=strict", "--output-gradients=.*",
                    *options], check=True, capture_output=True)
    outputs = [word for name in NAMES for word in ("--output", f"gradient.{name}={folder}/{name}.npy")]
    subprocess.run([runner, "train", folder / "p.mpcx", "--steps", "3", "--input", f"x={folder}/x.npy",
                    "--input", f"t={folder}/t.npy", *outputs], check=True, capture_output=True)
    return [numpy.load(folder / f"{name}.npy") for name in NAMES]


def compare(folder, compiler, runner):
    for options in PRECISIONS:
        kept = train(folder, "kept", options, compiler, runner)
        recomputed = train(folder, "recomputed", options, compiler, runner)
        for name, a, b in zip(NAMES, kept, recomputed):
            if a.dtype != b.dtype or a.tobytes() != b.tobytes():
                sys.exit(f"{options}: expected equal gradients of {name}, but they differ by {abs(a - b).max()}")
            if not numpy.isfinite(a).all() or not a.any():
                sys.exit(f"{options}: expected a finite gradient of {name} that is not 0")


def main():
    folder = pathlib.Path(sys.argv[1])
    if len(sys.argv) == 2:
        write(folder)
    else:
        compare(folder, sys.argv[3], sys.argv[4])


if __name__ == "__main__":
    main()
