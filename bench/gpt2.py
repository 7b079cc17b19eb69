"""Measures GPT-2 of 124 million parameters (examples/gpt/model.py --preset gpt2): compiling, training, reading weights.

    python3 bench/gpt2.py [build/bin] [--threads 2] [--steps 4] [--batch 4] [--context 256]
                          [--only compile|weights|steps]

Compiling is the whole process, of a context of 1024, with an empty cache each time; for target cuda only where a
toolkit is. Weights are random, in a file with the names and shapes of Hugging Face; the loss that mpc
evaluates with them is compared with PyTorch's, and the exit code is 1 if it is off by more than 1e-4. Steps are of
AdamW with clipping, those of mpc and of PyTorch in turns. It needs a Python that has PyTorch and NumPy.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

from gpt_torch import Size, Training, cross_entropy, initial_weights, write_safetensors

ROOT = pathlib.Path(__file__).resolve().parent.parent
LR, BETAS, DECAY, CLIP = 3e-5, (0.9, 0.95), 0.1, 1.0
VOCABULARY, POSITIONS = 50257, 1024


def run(*command, **environment):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                             env=dict(os.environ, **environment))
    if process.returncode != 0:
        sys.exit(f"gpt2.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


def write_model(path, batch, context):
    path.write_text(run(sys.executable, ROOT / "examples/gpt/model.py", "--preset", "gpt2", "--batch", batch,
                        "--context", context, "--positions", POSITIONS, "--lr", LR, "--warmup", 0))


# ---- Compiling ----------------------------------------------------------------------------------


def compile_times(options, folder):
    model = folder / "gpt2-1024.mlir"
    write_model(model, 1, 1024)
    print("| target | precision | s on the clock, median of 5 | least | processor s, median |\n|---|---|---|---|---|")
    for target in ("cpu", "cuda"):
        for precision in ("fp32", "bf16"):
            clock, processor = [], []
            for number in range(5):
                begin, before = time.perf_counter(), os.times()
                run(options.binaries / "mpc-compile", model, "-o", folder / "out.mpcx", f"--target={target}",
                    f"--precision={precision}", MPC_CACHE_DIR=str(folder / f"cache-{target}-{precision}-{number}"))
                after = os.times()
                clock.append(time.perf_counter() - begin)
                processor.append(after.children_user + after.children_system - before.children_user
                                 - before.children_system)
            print(f"| {target} | {precision} | {statistics.median(clock):.2f} | {min(clock):.2f} | "
                  f"{statistics.median(processor):.2f} |", flush=True)


# ---- Weights ------------------------------------------------------------------------------------


def random_weights(size):
    """Not those that training begins with: norms and biases say something, too."""
    generator = torch.Generator().manual_seed(7)
    weights = {name: value + 0.02 * torch.randn(value.shape, generator=generator)
               for name, value in initial_weights(size).items()}
    mask = torch.ones(POSITIONS, POSITIONS).tril().view(1, 1, POSITIONS, POSITIONS)
    return weights | {f"h.{layer}.attn.bias": mask for layer in range(size.layers)}


def check_weights(options, size, folder):
    weights = random_weights(size)
    write_safetensors(folder / "model.safetensors", weights)
    tokens = np.random.default_rng(3).integers(0, VOCABULARY, options.batch * options.context + 1).astype("u2")
    np.save(folder / "stream.npy", tokens)
    model, program, metrics = folder / "gpt2.mlir", folder / "eval.mpcx", folder / "eval.json"
    run(options.binaries / "mpc-compile", model, "-o", program, "--inference")
    stream = folder / "stream.npy"
    run(options.binaries / "mpc-run", "eval", program, "--weights", folder / "model.safetensors", "--input",
        f"tokens={stream}", "--input", f"labels={stream}", "--window", "tokens", "--window", "labels=1", "--metrics",
        metrics, "--threads", options.threads)
    found = json.loads(metrics.read_text())["eval_loss"]
    shaped = [torch.from_numpy(tokens[offset:offset + tokens.size - 1].astype(np.int64)).view(-1, options.context)
              for offset in (0, 1)]
    with torch.no_grad():
        expected = cross_entropy(size, weights, *shaped).item()
    off = abs(found - expected) / expected
    print(f"loss by mpc {found:.7f}, by PyTorch {expected:.7f}: {off:.1e}", flush=True)
    return off <= 1e-4


# ---- Steps --------------------------------------------------------------------------------------


def torch_runner(options, size, start, element):
    training = Training(size, start, element, BETAS, DECAY, CLIP, fused=True)

    def measure(steps):
        data = torch.randint(VOCABULARY, (options.batch, options.context + 1))
        times = []
        for _ in range(steps + 1):
            begin = time.perf_counter()
            training.step(data[:, :-1], data[:, 1:], LR)
            times.append(time.perf_counter() - begin)
        return times[1:]
    return measure


def mpc_runner(options, folder, precision):
    program, metrics, stream = folder / f"{precision}.mpcx", folder / "metrics.jsonl", folder / "long.npy"
    run(options.binaries / "mpc-compile", folder / "gpt2.mlir", "-o", program, f"--precision={precision}")

    def measure(steps):
        run(options.binaries / "mpc-run", "train", program, "--input", f"tokens={stream}", "--input",
            f"labels={stream}", "--window", "tokens", "--window", "labels=1", "--steps", steps + 1, "--metrics", metrics,
            "--threads", options.threads)
        return [json.loads(line)["ms"] / 1e3 for line in metrics.read_text().splitlines()][1:]
    return measure


def step_times(options, size, folder):
    np.save(folder / "long.npy", np.random.default_rng(4).integers(0, VOCABULARY, 100000).astype("u2"))
    start = initial_weights(size)
    runners = {"PyTorch, f32": lambda: torch_runner(options, size, start, torch.float32),
               "mpc, f32": lambda: mpc_runner(options, folder, "fp32"),
               "PyTorch, bf16 autocast": lambda: torch_runner(options, size, start, torch.bfloat16),
               "mpc, bf16": lambda: mpc_runner(options, folder, "bf16")}
    times = {name: [] for name in runners}
    for _ in range(2):
        for name, make in runners.items():  # one after the other in memory, too
            times[name] += make()(options.steps)
    print("| | s per step, median | least | tokens per second |\n|---|---|---|---|")
    for name, steps in times.items():
        median = statistics.median(steps)
        tokens = options.batch * options.context / median
        print(f"| {name} | {median:.2f} | {min(steps):.2f} | {tokens:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    for name, value in (("threads", 2), ("steps", 4), ("batch", 4), ("context", 256)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--only", choices=("compile", "weights", "steps"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    size = Size(VOCABULARY, layers=12, heads=12, width=768, context=options.context, positions=POSITIONS)
    correct = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder / "gpt2.mlir", options.batch, options.context)
        if options.only in (None, "compile"):
            compile_times(options, folder)
        if options.only in (None, "weights"):
            correct = check_weights(options, size, folder)
        if options.only in (None, "steps"):
            step_times(options, size, folder)
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
