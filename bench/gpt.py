"""Trains a small GPT by mpc and by PyTorch, same weights, same windows, and compares the losses step by step.

    python3 examples/gpt/prepare.py DATA
    python3 bench/gpt.py DATA [build/bin] [--steps 500] [--seed 1] [--threads 2] [--check | --speed]

The model is examples/gpt/model.py's preset `shakespeare`. PyTorch draws the first weights; it takes the windows that
mpc-run's formulas give (include/mpc/Data/Random.h, Shuffle.h), of which this is a second implementation. In f32 every
loss must be within 1e-5 of PyTorch's f32, in bf16 and fp16 every 50th within 1 %. Printed is a table, or with --check a
line for each precision that is off; the exit code is 1 if one is. --speed prints tokens per second instead, of both in
turns, medians of all steps but the first ones. It needs a Python that has PyTorch and NumPy.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

from gpt_torch import Size, Training, initial_weights, write_safetensors

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTEXT, BATCH = 128, 16
LR, BETAS, DECAY, CLIP, WARMUP, FINAL = 1e-3, (0.9, 0.99), 0.1, 1.0, 50, 0.1
MASK = (1 << 64) - 1
ROUNDS, ROUND, WARM = 6, 15, 3  # of --speed: how often all take turns, with how many steps, and before them

# Name, options of mpc-compile, largest relative difference to PyTorch's f32, and at which steps.
PRECISIONS = [
    ("fp32", "--precision=fp32", 1e-5, 1),
    ("bf16", "--precision=bf16", 1e-2, 50),
    ("bf16, profile torch-cpu", "--profile=torch-cpu", 1e-2, 50),
    ("fp16", "--precision=fp16 --loss-scale=dynamic", 1e-2, 50),
]


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"gpt.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


# ---- Windows ------------------------------------------------------------------------------------


def mix(z):
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
    return z ^ (z >> 31)


def windows(stream, steps, seed):
    """Tokens and labels of each step: [BATCH, CONTEXT]."""
    places = len(stream) - CONTEXT  # of windows that a label follows
    per_epoch = (len(stream) - 1) // CONTEXT // BATCH
    for step in range(steps):
        key = mix((mix(seed) + step // per_epoch) & MASK)
        numbers = range(step % per_epoch * BATCH, (step % per_epoch + 1) * BATCH)
        starts = [mix((key + (number + 1) * 0x9e3779b97f4a7c15) & MASK) * places >> 64 for number in numbers]
        yield tuple(torch.from_numpy(np.stack([stream[start + offset:start + offset + CONTEXT] for start in starts])
                                     .astype(np.int64)) for offset in (0, 1))


# ---- PyTorch ------------------------------------------------------------------------------------


def rate(step, steps):
    if step < WARMUP:
        return (step + 1) / WARMUP
    part = min(1, (step - WARMUP) / (steps - WARMUP))
    return FINAL + (1 - FINAL) * (1 + math.cos(math.pi * part)) / 2


def train_torch(size, start, stream, options, element):
    training = Training(size, start, element, BETAS, DECAY, CLIP)
    return [training.step(tokens, labels, LR * rate(step, options.steps))
            for step, (tokens, labels) in enumerate(windows(stream, options.steps, options.seed))]


# ---- mpc ----------------------------------------------------------------------------------------


def compile_model(folder, compile_options, options):
    program = folder / f"gpt{compile_options.replace(' ', '')}.mpcx"
    run(options.binaries / "mpc-compile", folder / "gpt.mlir", "-o", program, "--target=cpu", *compile_options.split())
    return program


def train_mpc(folder, program, steps, options):
    metrics = folder / "metrics.jsonl"
    stream = options.data / "train.npy"
    run(options.binaries / "mpc-run", "train", program, "--input", f"tokens={stream}", "--input", f"labels={stream}",
        "--window", "tokens", "--window", "labels=1", "--weights", folder / "start.safetensors", "--steps",
        steps, "--seed", options.seed, "--threads", options.threads, "--metrics", metrics)
    return [json.loads(line) for line in metrics.read_text().splitlines()]


def difference(losses, reference, every=1):
    return max(abs(a - b) / b for a, b in list(zip(losses, reference))[::every])


def describe(name, losses, reference, skipped):
    picked = " | ".join(f"{losses[step]:.4f}" for step in picked_steps(len(losses)))
    return (f"| {name} | {picked} | {difference(losses, reference):.1e} | {difference(losses, reference, 50):.1e} "
            f"| {skipped} |")


def picked_steps(steps):
    return sorted({step for step in (0, 10, 50, 100, 200, 300, 400) if step < steps} | {steps - 1})


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--speed", action="store_true")
    return parser.parse_args()


def compare(options, size, start, stream, folder):
    reference = train_torch(size, start, stream, options, torch.float32)
    if not options.check:
        heads = " | ".join(f"step {step}" for step in picked_steps(options.steps))
        print(f"| | {heads} | largest difference | at every 50th | skipped |\n" + "|---" * (heads.count("|") + 5) + "|")
        print(describe(f"PyTorch {torch.__version__}, f32", reference, reference, 0), flush=True)
        autocast = train_torch(size, start, stream, options, torch.bfloat16)
        print(describe("PyTorch, bf16 autocast", autocast, reference, 0), flush=True)
    off = 0
    for name, compile_options, bound, every in PRECISIONS:
        lines = train_mpc(folder, compile_model(folder, compile_options, options), options.steps, options)
        losses, skipped = [line["loss"] for line in lines], sum(bool(line.get("found_inf")) for line in lines)
        if not options.check:
            print(describe(name, losses, reference, skipped), flush=True)
        if len(losses) != options.steps or not difference(losses, reference, every) <= bound:
            off += 1
            print(f"{name}: losses are {difference(losses, reference, every):.1e} off, bound {bound}", file=sys.stderr)
    return 1 if off else 0


# ---- Speed --------------------------------------------------------------------------------------


def torch_runner(size, start, stream, element, **options):
    """Measures N steps of PyTorch, with the optimizer that updates all parameters in one call."""
    training = Training(size, start, element, BETAS, DECAY, CLIP, fused=True, **options)
    data = list(windows(stream, ROUND + WARM, 1))

    def measure():
        times = []
        for tokens, labels in data:
            begin = time.perf_counter()
            training.step(tokens, labels, LR)
            times.append(1e3 * (time.perf_counter() - begin))
        return times[WARM:]
    return measure


def mpc_runner(folder, compile_options, options):
    program = compile_model(folder, compile_options, options)
    return lambda: [line["ms"] for line in train_mpc(folder, program, ROUND + WARM, options)[WARM:]]


def speed(options, size, start, stream, folder):
    runners = {
        "PyTorch, f32": torch_runner(size, start, stream, torch.float32),
        "mpc, f32": mpc_runner(folder, "--precision=fp32", options),
        "PyTorch, torch.compile, f32": torch_runner(size, start, stream, torch.float32, compiled=True),
        "mpc, bf16": mpc_runner(folder, "--precision=bf16", options),
        "PyTorch, bf16 autocast": torch_runner(size, start, stream, torch.bfloat16),
        "PyTorch, torch.compile, bf16 autocast": torch_runner(size, start, stream, torch.bfloat16, compiled=True),
    }
    times = {name: [] for name in runners}
    for _ in range(ROUNDS):
        for name, measure in runners.items():
            times[name] += measure()
    base = times["PyTorch, f32"]
    print("| | ms per step, median | tokens per second | against PyTorch, f32 | least ms | against PyTorch, f32 |\n"
          "|---|---|---|---|---|---|")
    for name, steps in sorted(times.items()):
        median = statistics.median(steps)
        tokens, ratio = 1e3 * BATCH * CONTEXT / median, statistics.median(base) / median
        print(f"| {name} | {median:.1f} | {tokens:,.0f} | {ratio:.2f} | {min(steps):.1f} "
              f"| {min(base) / min(steps):.2f} |")
    return 0


def main():
    options = read_options()
    torch.set_num_threads(options.threads)
    stream = np.load(options.data / "train.npy")
    vocabulary = len(json.loads((options.data / "vocabulary.json").read_text()))
    size = Size(vocabulary, layers=4, heads=4, width=128, context=CONTEXT)
    start = initial_weights(size)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_safetensors(folder / "start.safetensors", start)
        (folder / "gpt.mlir").write_text(run(sys.executable, ROOT / "examples/gpt/model.py", "--vocabulary", vocabulary,
                                             "--steps", options.steps))
        return (speed if options.speed else compare)(options, size, start, stream, folder)


if __name__ == "__main__":
    sys.exit(main())
