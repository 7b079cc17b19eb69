"""Times autocast and the gates on graphs of 12,500 to 100,000 ops and prints a table.

    python3 bench/autocast.py [build/bin]

Two families: bench/models/deep_mlp.py (a chain of products, biases and relus) and bench/models/random_graph.py (every word, with
branches). First the forward graph of N ops through stages import and autocast: seconds of mpc-autocast and of the two
gates. Then a training step of about N ops after stage simplify: seconds of autocast and of all gates up to there.
Figures are processor seconds: the share of a pass in --mlir-timing times what the process took, so that other load does
not count; medians of the runs. The last column is the whole process, reading and writing the file included; the last
line of a family says how autocast and gates grow with N: the exponent between the first and the last size, 1 for linear.
"""
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = (12500, 25000, 50000, 100000)
RUNS = 5
# Ops of a step after simplify per op of the model, so that a step has N ops.
FAMILIES = {"deep_mlp": lambda ops, train: ["models/deep_mlp.py", str((ops // 6 if train else ops) // 3)],
            "random_graph": lambda ops, train: ["models/random_graph.py", str(ops // 4 if train else ops)]
            + (["train"] if train else [])}


def write(family, ops, train, folder):
    path = folder / f"{family}.{ops}.{train}.mlir"
    script, *arguments = FAMILIES[family](ops, train)
    with open(path, "w") as file:
        subprocess.run([sys.executable, ROOT / "bench" / script, *arguments], stdout=file, check=True)
    return path


def measure(binary, model, stage):
    """Processor seconds per pass, and of the process."""
    process = subprocess.Popen([binary, model, f"--compile-to={stage}", "--mlir-timing", "--mlir-timing-display=list",
                                "-o", os.devnull], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"autocast.py: mpc-opt failed on {model}:\n{text[-2000:]}")
    processor, passes, total = usage.ru_utime + usage.ru_stime, {}, 0
    for seconds, name in re.findall(r"^\s+[\d.]+ \(\s*[\d.]+%\)\s+([\d.]+) \(\s*[\d.]+%\)\s+(\w+)$", text, re.M):
        total = float(seconds) if name == "Total" else total
        passes[name] = passes.get(name, 0) + float(seconds)
    return {name: seconds / total * processor for name, seconds in passes.items()}, processor


def count_ops(binary, model, stage):
    """Ops of the largest function: of the model, or of its step."""
    text = subprocess.run([binary, model, f"--compile-to={stage}"], capture_output=True, text=True, check=True).stdout
    counts = [len(re.findall(r"^    \S+ = |^    %\S+, .* = ", function, re.M))
              for function in text.split("func.func")[1:]]
    return max(counts)


def table(binary, folder, family, train):
    stage = "simplify" if train else "autocast"
    print(f"\n{family}, {'step after simplify' if train else 'forward'}\n"
          f"{'ops':>8} {'autocast':>9} {'gates':>7} {'together':>9} {'process':>8}")
    together = []
    for size in SIZES:
        model = write(family, size, train, folder)
        runs = [measure(binary, model, stage) for _ in range(RUNS)]
        ops = count_ops(binary, model, stage) if train else size
        autocast = statistics.median(passes["Autocast"] for passes, _ in runs)
        gates = statistics.median(sum(s for name, s in passes.items() if name.startswith("Verify"))
                                  for passes, _ in runs)
        process = statistics.median(seconds for _, seconds in runs)
        together.append((ops, autocast + gates))
        print(f"{ops:8} {autocast:9.3f} {gates:7.3f} {autocast + gates:9.3f} {process:8.2f}", flush=True)
    (ops, first), (more, last) = together[0], together[-1]
    print(f"time grows with ops to the power {math.log(last / first) / math.log(more / ops):.2f}")


def main():
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin") / "mpc-opt"
    with tempfile.TemporaryDirectory() as name:
        for train in (False, True):
            for family in FAMILIES:
                table(binary, pathlib.Path(name), family, train)


if __name__ == "__main__":
    main()
