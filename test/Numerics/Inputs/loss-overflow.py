"""Trains models in fp16 whose predictions are inf - inf. usage: loss-overflow.py FOLDER"""
import json
import pathlib
import subprocess
import sys

import numpy

MODEL = """func.func @model(%x: tensor<4x8xf32> {{graph.input = "x"}}, %t: tensor<4x8xf32> {{graph.input = "t"}},
    %w: tensor<8x8xf32> {{graph.parameter = "w", graph.init = #graph.fill<300.0>}}) -> (tensor<f32> {{graph.loss}}) {{
  %a = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %n = graph.neg %w : tensor<8x8xf32>
  %b = graph.matmul %x, %n : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y = graph.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = graph.{loss} %y, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}}
"""


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{process.stderr}")


def main():
    folder = pathlib.Path(sys.argv[1])
    numpy.save(folder / "x.npy", numpy.full((12, 8), 100, numpy.float32))
    numpy.save(folder / "t.npy", numpy.zeros((12, 8), numpy.float32))
    for loss in ("mse", "smooth_l1", "huber"):
        model, program, summary = (folder / f"{loss}.{end}" for end in ("mlir", "mpcx", "json"))
        model.write_text(MODEL.format(loss=loss))
        run("mpc-compile", model, "-o", program, "--precision=fp16", "--rounding=strict", "--loss-scale=dynamic",
            "--lint=off",
            "--optimizer=adamw", "--lr=0.1")
        run("mpc-run", "train", program, "--input", f"x={folder / 'x.npy'}", "--input", f"t={folder / 't.npy'}",
            "--steps", 3, "--summary", summary)
        told = json.loads(summary.read_text())
        print(f"{loss}: {told['skipped']} of {told['steps']} steps skipped")


main()
