"""Trains with every optimizer and every kind of master weights, and in NumPy.

usage: trajectories.py FOLDER [--cuda BUILD]

The loss is sum(g * w) + sum(h * b), so that the gradients are the data, and the
final state must be what the published formulas make of them. Optimizers are
written from the documentation of torch.optim and the papers, in f64, and agree
to the rounding of f32. Master weights are compared bit for bit: plain SGD is one
product and one sum, in f32 here, too.
"""
import argparse
import contextlib
import json
import os
import struct
import subprocess
import sys

import numpy as np

STEPS, ROWS = 12, 4
SHAPES = {"w": (ROWS, 3), "b": (ROWS, 5)}
LR = 0.05
MODEL = """
func.func @model(%g: tensor<4x3xf32> {{graph.input = "g"}}, %h: tensor<4x5xf32> {{graph.input = "h"}},
    %w: tensor<4x3xf32> {{graph.parameter = "w", graph.init = #graph.zeros}},
    %b: tensor<4x5xf32> {{graph.parameter = "b", graph.init = #graph.zeros}})
    -> (tensor<f32> {{graph.loss}})
    attributes {{graph.training = #graph.training<optimizer = #graph.optimizer<{0}>{1}>}} {{
  %0 = graph.mul %g, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = graph.mul %h, %b : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = graph.sum %0 dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  %3 = graph.sum %1 dims = [0, 1] : (tensor<4x5xf32>) -> tensor<f32>
  %loss = graph.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


@contextlib.contextmanager
def learning_rate(rate):
    """The formulas below at another rate."""
    global LR
    LR, usual = rate, LR
    yield
    LR = usual


def warmed(t):
    """Linear warm-up over 8 steps, step t from 1."""
    return 0.05 * min(t / 8, 1)


#===-- Published formulas ---------------------------------------------------===#
# Each takes parameter, gradient, state (a dictionary) and t, from 1, and returns
# the next parameter.

def sgd(momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False):
    def step(p, g, s, t):
        g = g + weight_decay * p
        if momentum:
            if t == 1:
                s["momentum_buffer"] = g
            else:
                s["momentum_buffer"] = momentum * s["momentum_buffer"] + (1 - dampening) * g
            g = g + momentum * s["momentum_buffer"] if nesterov else s["momentum_buffer"]
        return p - LR * g
    return step


def adam_direction(g, s, t, beta1, beta2, epsilon):
    s["exp_avg"] = beta1 * s.get("exp_avg", 0) + (1 - beta1) * g
    s["exp_avg_sq"] = beta2 * s.get("exp_avg_sq", 0) + (1 - beta2) * g ** 2
    mean = s["exp_avg"] / (1 - beta1 ** t)
    square = s["exp_avg_sq"] / (1 - beta2 ** t)
    return mean / (np.sqrt(square) + epsilon)


def adam(weight_decay=0.0, beta1=0.9, beta2=0.999, epsilon=1e-8):
    return lambda p, g, s, t: p - LR * adam_direction(g + weight_decay * p, s, t, beta1, beta2, epsilon)


def adamw(weight_decay=0.0, beta1=0.9, beta2=0.999, epsilon=1e-8):
    return lambda p, g, s, t: p - LR * weight_decay * p - LR * adam_direction(g, s, t, beta1, beta2, epsilon)


def adagrad(weight_decay=0.0, lr_decay=0.0, initial_accumulator=0.0, epsilon=1e-10):
    def step(p, g, s, t):
        g = g + weight_decay * p
        s["sum"] = s.get("sum", initial_accumulator) + g ** 2
        return p - LR / (1 + (t - 1) * lr_decay) * g / (np.sqrt(s["sum"]) + epsilon)
    return step


def rmsprop(alpha=0.99, epsilon=1e-8, weight_decay=0.0, momentum=0.0, centered=False):
    def step(p, g, s, t):
        g = g + weight_decay * p
        s["square_avg"] = variance = alpha * s.get("square_avg", 0) + (1 - alpha) * g ** 2
        if centered:
            s["grad_avg"] = alpha * s.get("grad_avg", 0) + (1 - alpha) * g
            variance = variance - s["grad_avg"] ** 2
        d = g / (np.sqrt(variance) + epsilon)
        if momentum:
            s["momentum_buffer"] = d = momentum * s.get("momentum_buffer", 0) + d
        return p - LR * d
    return step


def lamb(weight_decay=0.0, beta1=0.9, beta2=0.999, epsilon=1e-6):
    def step(p, g, s, t):
        u = adam_direction(g, s, t, beta1, beta2, epsilon) + weight_decay * p
        lengths = np.linalg.norm(p), np.linalg.norm(u)
        ratio = lengths[0] / lengths[1] if min(lengths) > 0 else 1.0
        return p - LR * ratio * u
    return step


def lomo(weight_decay=0.0):
    return lambda p, g, s, t: p * (1 - LR * weight_decay) - LR * g


OPTIMIZERS = [
    (sgd, {}), (sgd, {"momentum": 0.9, "weight_decay": 0.1}),
    (sgd, {"momentum": 0.9, "dampening": 0.5}), (sgd, {"momentum": 0.8, "nesterov": True, "weight_decay": 0.1}),
    (adam, {}), (adam, {"weight_decay": 0.1, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3}),
    (adamw, {"weight_decay": 0.1}), (adagrad, {}),
    (adagrad, {"weight_decay": 0.1, "lr_decay": 0.2, "initial_accumulator": 0.5, "epsilon": 0.01}),
    (rmsprop, {}), (rmsprop, {"alpha": 0.9, "momentum": 0.9, "weight_decay": 0.1, "epsilon": 0.01}),
    (rmsprop, {"alpha": 0.9, "momentum": 0.5, "centered": True, "epsilon": 0.01}),
    (lamb, {}), (lamb, {"weight_decay": 0.1, "beta2": 0.99}), (lomo, {}), (lomo, {"weight_decay": 0.1}),
]


#===-- Master weights -------------------------------------------------------===#

def bits(x):
    return np.asarray(x, np.float32).view(np.uint32)


def to_bf16(x):
    """To nearest even, for finite numbers; an f32 with 16 zero bits."""
    b = bits(x)
    odd = (b >> np.uint32(16)) & np.uint32(1)
    return ((b + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)).view(np.float32)


def philox_word0(counter, key):
    """Philox4x32-10 (Salmon et al., 2011)."""
    c, k = [np.uint64(x) for x in counter], list(key)
    mask = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        left, right = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(right >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), right & mask,
             (left >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), left & mask]
        k = [(k[0] + 0x9E3779B9) % 2 ** 32, (k[1] + 0xBB67AE85) % 2 ** 32]
    return c[0]


def master_nearest(round_):
    return lambda p, next_, s, t, n: round_(next_)


def master_kahan(p, next_, s, t, n):
    u = s.get("compensation", np.float32(0)) + (next_ - p)
    rounded = to_bf16(p + u)
    s["compensation"] = to_bf16(u - (rounded - p))
    return rounded


def master_stochastic(p, next_, s, t, n):
    """The counter is the element and the number of the step; n is the parameter."""
    low = [philox_word0((i, t, 0, 0), (0, n)) & np.uint64(0xFFFF) for i in range(p.size)]
    b = bits(next_).astype(np.uint64) + np.array(low, np.uint64).reshape(p.shape)
    return (b & np.uint64(0xFFFF0000)).astype(np.uint32).view(np.float32)


def to_f16(x):
    return x.astype(np.float16).astype(np.float32)


MASTERS = {"bf16": master_nearest(to_bf16), "f16": master_nearest(to_f16), "bf16_kahan": master_kahan,
           "bf16_stochastic": master_stochastic}


#===-- Running --------------------------------------------------------------===#

def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(command) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        raw = data[slice(*entry["data_offsets"])]
        if entry["dtype"] == "BF16":
            array = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            array = np.frombuffer(raw, {"F32": "<f4", "F16": "<f2", "I32": "<i4"}[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"])
    return tensors


class Case:
    def __init__(self, folder, cuda):
        self.folder, self.cuda = folder, cuda
        random = np.random.default_rng(7)
        self.data = {name: random.normal(0, 1, (STEPS * ROWS, SHAPES[of][1])).astype(np.float32)
                     for name, of in (("g", "w"), ("h", "b"))}
        self.start = {name: to_bf16(random.normal(0, 1, shape)) for name, shape in SHAPES.items()}
        for name, values in self.data.items():
            np.save(f"{folder}/{name}.npy", values)
        write_safetensors(f"{folder}/initial", self.start)

    def train(self, words, more=""):
        """The state after STEPS steps of the compiled program; `more` settings of training."""
        model, program, final = (f"{self.folder}/{f}" for f in ("model.mlir", "model.mpcx", "final"))
        with open(model, "w") as file:
            file.write(MODEL.format(words, more))
        if self.cuda:
            run("mpc-opt", model, "--compile-to=exec", "--target=cuda", "-o", f"{self.folder}/exec.mlir")
            run("emulate-cuda", f"{self.folder}/exec.mlir", program)
        else:
            run("mpc-compile", model, "-o", program)
        run("mpc-run", "train", program, *(w for n in self.data for w in ("--input", f"{n}={self.folder}/{n}.npy")),
            "--weights", f"{self.folder}/initial", "--convert", "--steps", str(STEPS), "--no-shuffle", "--save", final)
        return read_safetensors(final)

    def gradients(self, t):
        rows = slice((t - 1) * ROWS, t * ROWS)
        return {"w": self.data["g"][rows], "b": self.data["h"][rows]}

    def expect(self, optimizer, rate=lambda t: LR):
        """By the formula, at `rate(t)` in step t."""
        expected = {}
        for name in SHAPES:
            p, state = self.start[name].astype("f8"), {}
            for t in range(1, STEPS + 1):
                with learning_rate(rate(t)):
                    p = optimizer(p, self.gradients(t)[name].astype("f8"), state, t)
            expected.update({name: p, **{f"{name}.{key}": value for key, value in state.items()}})
        return expected

    def expect_master(self, master):
        expected, rate = {}, np.float32(LR)
        for number, name in enumerate(SHAPES):
            p, state = self.start[name], {}
            for t in range(1, STEPS + 1):
                p = master(p, p + -rate * self.gradients(t)[name], state, t, number)
            expected.update({name: p, **{f"{name}.{key}": value for key, value in state.items()}})
        return expected


def compare(title, trained, expected, exact):
    for name, values in expected.items():
        if name not in trained:
            sys.exit(f"{title}: expected a state '{name}', but got {sorted(trained)}")
        got = trained[name].astype("f8")
        equal = np.array_equal(got, values) if exact else np.allclose(got, values, rtol=2e-5, atol=2e-6)
        if not equal:
            sys.exit(f"{title}: '{name}' differs\nexpected {values}\ngot {got}\nby {got - values}")
    kept = {n for n in trained if n.startswith(("w", "b"))}
    if kept != set(expected):
        sys.exit(f"{title}: expected states {sorted(expected)}, but got {sorted(kept)}")
    print(f"{title}: equal{' to the bit' if exact else ''}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--cuda")
    options = parser.parse_args()
    subprocess.run(["rm", "-rf", options.folder], check=True)
    subprocess.run(["mkdir", "-p", options.folder], check=True)
    if options.cuda:
        os.environ["MPC_CUDA_PLUGIN"] = f"{options.cuda}/lib/EmulatedCuda.so"
    case = Case(options.folder, bool(options.cuda))
    for optimizer, settings in OPTIMIZERS:
        words = ", ".join([f'name = "{optimizer.__name__}"', f"lr = {LR}"] +
                          [f"{k} = {str(v).lower()}" for k, v in settings.items()])
        compare(words, case.train(words), case.expect(optimizer(**settings)), exact=False)
    for optimizer in dict.fromkeys(optimizer for optimizer, _ in OPTIMIZERS):
        words = f'name = "{optimizer.__name__}", lr = {LR}'
        more = ', schedule = #graph.schedule<kind = "constant", warmup = 8>'
        compare(f"warm-up, {words}", case.train(words, more), case.expect(optimizer(), warmed), exact=False)
    for name, master in MASTERS.items():
        words = f'name = "sgd", lr = {LR}, master = "{name}"'
        compare(words, case.train(words), case.expect_master(master), exact=True)


if __name__ == "__main__":
    main()
