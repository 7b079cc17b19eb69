"""Measures GPT-2 of 124 million parameters (examples/gpt/model.py --preset gpt2): compiling, training, reading weights.

    python3 bench/gpt2.py [build/bin] [--threads 2] [--steps 4] [--rounds 2] [--batch 4] [--context 256]
                          [--layers 12] [--heads 12] [--width 768] [--vocabulary 50257]
                          [--only compile|weights|steps] [--leave-out "PyTorch, bf16 autocast"] [--compiled] [--floor]

Compiling is the whole process, of a context of 1024, with an empty cache each time; for target cuda only where a
toolkit is. Weights are random, in a file with the names and shapes of Hugging Face; the loss that mpc evaluates with
them is compared with PyTorch's, and the exit code is 1 if it is off by more than 1e-4. Steps are of AdamW with clipping,
those of mpc and of PyTorch in turns, each round in a process of its own, whose peak memory counts (Python with PyTorch
has 0.2 GB before anything else). The time to the end of the first step begins with the process of mpc, and with the
first weight of PyTorch. --leave-out is for what takes too long: bf16 of PyTorch where a processor has no
instructions for it. --compiled trains by torch.compile, too, whose compiling is in the time to the end of the first step
and, by its own workers, not in the peak memory. --floor measures in each round what a step takes at least, with
PyTorch's products and with mpc's (floors/gpt2.py). It needs a Python that has PyTorch and NumPy.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

from floors import gpt2 as floor_of_gpt2
from gpt_torch import Size, Training, cross_entropy, initial_weights, write_safetensors

ROOT = pathlib.Path(__file__).resolve().parent.parent
LR, BETAS, DECAY, CLIP = 3e-5, (0.9, 0.95), 0.1, 1.0
POSITIONS = 1024


def run(*command, **environment):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                             env=dict(os.environ, **environment))
    if process.returncode != 0:
        sys.exit(f"gpt2.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


def write_model(path, options, batch, context):
    path.write_text(run(sys.executable, ROOT / "examples/gpt/model.py", "--preset", "gpt2", "--batch", batch,
                        "--context", context, "--positions", max(POSITIONS, context), "--lr", LR, "--warmup", 0,
                        "--layers", options.layers, "--heads", options.heads, "--width", options.width,
                        "--vocabulary", options.vocabulary))


# ---- Compiling ----------------------------------------------------------------------------------


def compile_times(options, folder):
    model = folder / "gpt2-1024.mlir"
    write_model(model, options, 1, 1024)
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
    tokens = np.random.default_rng(3).integers(0, options.vocabulary, options.batch * options.context + 1).astype("u2")
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


class Round:
    """What one process took: seconds to the end of its first step, and of each after it; bytes at its peak."""

    def __init__(self, first, steps, peak):
        self.first, self.steps, self.peak = first, steps, peak


def torch_steps(options, size, element, compiled=False):
    torch.set_num_threads(options.threads)
    begin = time.perf_counter()
    training = Training(size, initial_weights(size), element, BETAS, DECAY, CLIP, compiled, fused=True)
    data = torch.randint(options.vocabulary, (options.batch, options.context + 1))
    ends = []
    for _ in range(options.steps + 1):
        training.step(data[:, :-1], data[:, 1:], LR)
        ends.append(time.perf_counter())
    return Round(ends[0] - begin, [end - start for start, end in zip(ends, ends[1:])],
                 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def apart(function, *arguments):
    """What `function` returns in a process of its own: neither memory nor threads of this one count."""
    processes = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(max_workers=1, mp_context=processes) as executor:
        return executor.submit(function, *arguments).result()


def peak_memory(process):
    """Bytes, so far. What Linux tells when a process has ended counts the one that started it, too."""
    with open(f"/proc/{process}/status") as file:
        lines = [line for line in file if line.startswith("VmHWM")]
    return 1024 * int(lines[0].split()[1]) if lines else 0


def mpc_round(options, folder, precision):
    program, metrics, stream = folder / f"{precision}.mpcx", folder / "metrics.jsonl", folder / "long.npy"
    if not program.exists():
        run(options.binaries / "mpc-compile", folder / "gpt2.mlir", "-o", program, f"--precision={precision}")
    command = [options.binaries / "mpc-run", "train", program, "--input", f"tokens={stream}", "--input",
               f"labels={stream}", "--window", "tokens", "--window", "labels=1", "--steps", options.steps + 1,
               "--metrics", metrics, "--threads", options.threads]
    begin = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_memory(process.pid))
        time.sleep(0.01)
    clock = time.perf_counter() - begin
    if process.returncode != 0:
        sys.exit(f"gpt2.py: {' '.join(map(str, command))} ended with {process.returncode}")
    steps = [json.loads(line)["ms"] / 1e3 for line in metrics.read_text().splitlines()][1:]
    return Round(clock - sum(steps), steps, peak)


def step_times(options, size, folder):
    np.save(folder / "long.npy", np.random.default_rng(4).integers(0, options.vocabulary, 100000).astype("u2"))
    runners = {"PyTorch, f32": lambda: apart(torch_steps, options, size, torch.float32),
               "mpc, f32": lambda: mpc_round(options, folder, "fp32"),
               "PyTorch, bf16 autocast": lambda: apart(torch_steps, options, size, torch.bfloat16),
               "mpc, bf16": lambda: mpc_round(options, folder, "bf16")}
    if options.compiled:
        for name, element in (("f32", torch.float32), ("bf16 autocast", torch.bfloat16)):
            runners[f"PyTorch, torch.compile, {name}"] = (
                lambda element=element: apart(torch_steps, options, size, element, True))
    rounds = {name: [] for name in runners if name not in options.leave_out}
    floors = {name: [] for name in rounds if options.floor and name.startswith("mpc")}
    for _ in range(options.rounds):
        for name, found in rounds.items():
            found.append(runners[name]())
        for name, found in floors.items():
            found.append(apart(floor_of_gpt2.measure, options, size, name == "mpc, bf16", folder))
    print("| | s per step, median | least | tokens per second | s to the end of the first step | peak memory, GB |\n"
          "|---|---|---|---|---|---|")
    for name, found in rounds.items():
        steps = [step for each in found for step in each.steps]
        median = statistics.median(steps)
        print(f"| {name} | {median:.3f} | {min(steps):.3f} | {options.batch * options.context / median:.0f} | "
              f"{min(each.first for each in found):.2f} | {max(each.peak for each in found) / 1e9:.2f} |", flush=True)
    print_floors(floors, rounds)


def print_floors(floors, rounds):
    if floors:
        print("\n| floor of | products by PyTorch, s | by mpc | attention | update | together with PyTorch's | with mpc's | "
              "a step, median, against PyTorch's | against mpc's |\n|---|---|---|---|---|---|---|---|---|")
    for name, found in floors.items():
        theirs, ours, *others = (statistics.median(part) for part in zip(*found))
        step = statistics.median(step for each in rounds[name] for step in each.steps)
        sums = [products + sum(others) for products in (theirs, ours)]
        cells = [f"{seconds:.3f}" for seconds in (theirs, ours, *others, *sums)] + [f"{step / total:.2f}" for total in sums]
        print(f"| {name} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    for name, value in (("threads", 2), ("steps", 4), ("rounds", 2), ("batch", 4), ("context", 256), ("layers", 12),
                        ("heads", 12), ("width", 768), ("vocabulary", 50257)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--only", choices=("compile", "weights", "steps"))
    parser.add_argument("--leave-out", action="append", default=[])
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--floor", action="store_true")
    options = parser.parse_args()
    options.build = options.binaries.parent
    for name in ("product-times", "program-steps"):
        if options.floor and not (options.build / "bench" / name).exists():
            parser.error(f"--floor needs {options.build}/bench/{name}: 'cmake --build --preset default' makes it")
    torch.set_num_threads(options.threads)
    size = Size(options.vocabulary, options.layers, options.heads, options.width, options.context,
                max(POSITIONS, options.context))
    correct = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder / "gpt2.mlir", options, options.batch, options.context)
        if options.only in (None, "compile"):
            compile_times(options, folder)
        if options.only in (None, "weights"):
            correct = check_weights(options, size, folder)
        if options.only in (None, "steps"):
            step_times(options, size, folder)
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
