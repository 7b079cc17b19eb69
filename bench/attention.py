"""Attention alone, of mpc and of PyTorch in turns on the processor: rates, and errors against f64.

    python3 bench/attention.py [build] [--threads 2] [--seconds 0.3] [--rounds 5] [--only bf16]

Operands are [batch, time, heads, width] for mpc, as projections write them, and [batch, heads, time, width] for PyTorch,
which is what it takes; a batch has 4096 tokens, 12 heads of 64 or 6 of 128. Floating-point operations are those that a
causal mask leaves: 2 products forward, 5 backward, each of 2 T^2 d / 2 per head; of a mask all of them. Printed are
medians over rounds, and ratios from the same rounds. Errors are ||x - x64|| / ||x64|| of results and gradients.
It needs a Python that has PyTorch and NumPy.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F

from gpu.turns import Served

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS = 4096
ELEMENTS = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class Case:
    def __init__(self, element, length, width, batch=None, heads=None, form="causal", mask=None):
        self.element, self.length, self.width = element, length, width
        self.batch = batch or max(1, TOKENS // length)
        self.heads = heads or 768 // width
        self.form, self.mask = form, mask
        self.name = f"{element}-{length}-{width}-{form.replace(' ', '').replace('=', '')}{mask or ''}"

    def flops(self, products):
        pairs = self.length ** 2
        if self.form == "causal":
            pairs /= 2
        elif self.form.startswith("causal window"):
            window = int(self.form.rpartition("=")[2])
            pairs = window * (self.length - window / 2)
        return 2 * products * self.batch * self.heads * pairs * self.width

    def model(self, backward):
        """A model that is one op."""
        operand = f"tensor<{self.batch}x{self.length}x{self.heads}x{self.width}x{self.element}>"
        sums = f"tensor<{self.batch}x{self.heads}x{self.length}xf32>"
        inputs = {"q": operand, "k": operand, "v": operand}
        if self.mask:
            inputs["mask"] = f"tensor<{self.length}x{self.length}x{'i1' if self.mask == 'flags' else 'f32'}>"
        outputs = {"y": operand, "lse": sums}
        mask = " mask %mask" if self.mask else ""
        call = f"graph.scaled_dot_product_attention %q, %k, %v{mask}"
        if backward:
            inputs |= {"y": operand, "lse": sums, "dy": operand}
            outputs = {"dq": operand, "dk": operand, "dv": operand}
            call = f"graph.scaled_dot_product_attention_backward %q, %k, %v{mask} result %y, %lse cotangent %dy"
        arguments = ", ".join(f'%{name}: {type} {{graph.input = "{name}"}}' for name, type in inputs.items())
        results = ", ".join(f'{type} {{graph.output = "{name}"}}' for name, type in outputs.items())
        values, types = ", ".join(f"%{name}" for name in outputs), ", ".join(outputs.values())
        return (f"func.func @model({arguments}) -> ({results}) {{\n"
                f"  {values} = {call} {self.form} : ({', '.join(inputs.values())}) -> ({types})\n"
                f"  return {values} : {types}\n}}\n")

    def operands(self, count, seed=1):
        torch.manual_seed(seed)
        shape = (self.batch, self.heads, self.length, self.width)
        return [torch.randn(shape).to(ELEMENTS[self.element]) for _ in range(count)]


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"attention.py: {' '.join(map(str, command))}\n{process.stderr}")


def compile_case(case, backward, folder, options):
    model = folder / f"{case.name}-{'backward' if backward else 'forward'}.mlir"
    model.write_text(case.model(backward))
    program = model.with_suffix(".mpcx")
    run(options.build / "bin/mpc-compile", model, "-o", program, "--target=cpu", "--inference", "--drop-loss")
    return program


# ---- Rates --------------------------------------------------------------------------------------


def torch_peer(case, backward):
    """PyTorch has no window, and takes a mask for one."""
    q, k, v, dy = case.operands(4)
    settings = {"is_causal": case.form == "causal"}
    if case.form.startswith("causal window"):
        place = torch.arange(case.length)
        far = place[:, None] - place[None, :]
        settings["attn_mask"] = (far >= 0) & (far < int(case.form.rpartition("=")[2]))
    elif case.mask == "flags":
        settings["attn_mask"] = torch.rand(case.length, case.length) < 0.5
    elif case.mask:
        settings["attn_mask"] = torch.randn(case.length, case.length).to(q.dtype)
    if not backward:
        def attend():
            with torch.no_grad():
                F.scaled_dot_product_attention(q, k, v, **settings)
    else:
        leaves = [x.requires_grad_() for x in (q, k, v)]
        y = F.scaled_dot_product_attention(*leaves, **settings)

        def attend():
            torch.autograd.grad(y, leaves, dy, retain_graph=True)

    def peer(seconds):
        times, end = [], time.perf_counter() + seconds
        while not times or time.perf_counter() < end:
            begin = time.perf_counter()
            attend()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)
    return peer


def rates(case, backward, folder, options):
    """Billions of operations per second, of mpc and of PyTorch."""
    program = compile_case(case, backward, folder, options)
    ours = Served([options.build / "bench/program-steps", "serve", "--entry", "forward", "--threads",
                   str(options.threads), program])
    peers = [ours.peer(program.stem), torch_peer(case, backward)]
    samples = [[peer(options.seconds) for peer in peers] for _ in range(options.rounds + 1)][1:]
    ours.close()
    flops = case.flops(5 if backward else 2)
    return [flops / statistics.median(times) / 1e9 for times in zip(*samples)]


def print_rates(cases, folder, options):
    print("| operands | T | d | mask | forward, GF/s | PyTorch | ratio | backward, GF/s | PyTorch | ratio |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    for case in cases:
        cells = []
        for backward in (False, True):
            ours, theirs = rates(case, backward, folder, options)
            cells.append(f"{ours:.0f} | {theirs:.0f} | {ours / theirs:.1f}")
        what = case.mask or case.form
        print(f"| {case.element} | {case.length} | {case.width} | {what} | {' | '.join(cells)} |", flush=True)


# ---- Errors -------------------------------------------------------------------------------------


def attend_exactly(q, k, v, dy):
    leaves = [x.double().requires_grad_() for x in (q, k, v)]
    q, k, v = leaves
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
    y = scores.softmax(-1) @ v
    return [y.detach(), *torch.autograd.grad(y, leaves, dy.double())]


def attend_by_torch(q, k, v, dy):
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    y = F.scaled_dot_product_attention(*leaves, is_causal=True)
    return [y.detach(), *torch.autograd.grad(y, leaves, dy)]


def attend_by_mpc(case, operands, folder, options):
    element = ELEMENTS[case.element]

    def write(name, x):
        np.save(folder / f"{name}.npy", x.float().numpy())
        return ["--input", f"{name}={folder / name}.npy"]

    inputs = []
    for name, x in zip(("q", "k", "v"), operands):
        inputs += write(name, x.transpose(1, 2))
    outputs = {name: folder / f"{name}.npy" for name in ("y", "lse", "dq", "dk", "dv")}

    def predict(backward, inputs, names):
        wanted = [word for name in names for word in ("--output", f"{name}={outputs[name]}")]
        run(options.build / "bin/mpc-run", "predict", compile_case(case, backward, folder, options), *inputs, *wanted,
            "--convert", "--threads", options.threads)

    predict(False, inputs, ("y", "lse"))
    inputs += ["--input", f"y={outputs['y']}", "--input", f"lse={outputs['lse']}"] + write("dy", operands[3].transpose(1, 2))
    predict(True, inputs, ("dq", "dk", "dv"))

    def read(name):
        array = np.load(outputs[name])
        if element == torch.bfloat16 and array.dtype.itemsize == 2:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).transpose(1, 2)
        return torch.from_numpy(array).transpose(1, 2)
    return [read(name) for name in ("y", "dq", "dk", "dv")]


def print_errors(cases, folder, options):
    print("\n| operands | T | d | y: mpc, PyTorch | dq | dk | dv |\n|---|---|---|---|---|---|---|")
    for case in cases:
        operands = case.operands(4, seed=2)
        exact = attend_exactly(*operands)
        found = [attend_by_mpc(case, operands, folder, options), attend_by_torch(*operands)]
        cells = [" ".join(f"{(float((x.double() - truth).norm() / truth.norm())):.2e}" for x in both)
                 for truth, *both in zip(exact, *found)]
        print(f"| {case.element} | {case.length} | {case.width} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=ELEMENTS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    elements = [options.only] if options.only else ["bf16", "f32"]
    cases = [Case(element, length, width) for element in elements for width in (64, 128)
             for length in (256, 1024, 4096)]
    for element in elements:
        cases += [Case(element, 1000, 64), Case(element, 1024, 64, form="causal window=256"),
                  Case(element, 1024, 64, form="", mask="flags"), Case(element, 1024, 64, form="", mask="numbers")]
    with tempfile.TemporaryDirectory() as folder:
        print_rates(cases, pathlib.Path(folder), options)
        print_errors([Case(element, length, width, batch=1, heads=2) for element in elements for width in (64, 128)
                      for length in (256, 1000, 4096)], pathlib.Path(folder), options)


if __name__ == "__main__":
    main()
