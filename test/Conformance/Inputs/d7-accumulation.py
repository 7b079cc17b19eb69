"""Case D7: trains with and without a loss scale, and with numpy, in FOLDER."""
import json
import struct
import subprocess
import sys

import numpy

MODEL = """
func.func @layers(%x: tensor<8x8xf32> {graph.input = "x"}, %t: tensor<8x8xf32> {graph.input = "target"},
                  %w0: tensor<8x8xf32> {graph.parameter = "0.weight", graph.init = #graph.uniform<-0.35, 0.35>},
                  %w1: tensor<8x8xf32> {graph.parameter = "1.weight", graph.init = #graph.uniform<-0.35, 0.35>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "SCALED", init = 128.0, growth = 2.0, backoff = 0.5, interval = 1>,
      optimizer = #graph.optimizer<name = "sgd", lr = 1.0>, accumulate = 2>} {
  %0 = graph.matmul %x, %w0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %0, %w1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %loss = graph.mse %1, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
"""


def read(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"}


def train(folder, mode, steps):
    name = f"{folder}/{mode}"
    with open(name + ".mlir", "w") as file:
        file.write(MODEL.replace("SCALED", mode))
    subprocess.run(["mpc-compile", name + ".mlir", "-o", name + ".mpcx"], check=True)
    subprocess.run(["mpc-run", "train", name + ".mpcx", "--steps", str(steps), "--no-shuffle",
                    "--input", f"x={folder}/x.npy", "--input", f"target={folder}/t.npy", "--save", name], check=True)
    return read(name)


def control(states, x, t):
    """Two steps of two batches each, in f64."""
    w0, w1 = (states[f"{i}.weight"].astype("f8") for i in range(2))
    for step in range(2):
        g0, g1 = numpy.zeros_like(w0), numpy.zeros_like(w1)
        for batch in range(2):
            rows = slice(16 * step + 8 * batch, 16 * step + 8 * batch + 8)
            d = 2 * (x[rows] @ w0 @ w1 - t[rows]) / t[rows].size / 2
            g0 += x[rows].T @ d @ w1.T
            g1 += (x[rows] @ w0).T @ d
        w0, w1 = w0 - g0, w1 - g1
    return {"0.weight": w0, "1.weight": w1}


def main():
    folder = sys.argv[1]
    random = numpy.random.default_rng(0)
    x, t = random.normal(size=(2, 32, 8)).astype("<f4")
    numpy.save(f"{folder}/x.npy", x)
    numpy.save(f"{folder}/t.npy", t)
    scaled, plain = train(folder, "dynamic", 2), train(folder, "none", 2)
    assert scaled["scaler.scale"] == 128 * 2**2, scaled["scaler.scale"]
    expected = control(train(folder, "none", 0), x.astype("f8"), t.astype("f8"))
    for name, values in expected.items():
        # A scale that is a power of two changes no bit of an f32 step.
        numpy.testing.assert_array_equal(scaled[name], plain[name])
        numpy.testing.assert_allclose(scaled[name], values, rtol=0, atol=1e-6)


main()
