"""Times mpc-compile as a whole process and prints one table.

    python3 bench/compile.py [build/bin]

Digits cold (empty cache) and warm, median of runs; classifiers of 250, 500 and
1,000 layers (bench/deep_mlp.py), warm, with the peak of resident memory. Time
per layer should not grow.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 7


def run(binary, model, cache, out):
    """Seconds of one compilation, and the peak resident bytes of the child."""
    environment = dict(os.environ, MPC_CACHE_DIR=str(cache))
    start = time.perf_counter()
    process = subprocess.Popen(
        [binary, model, "-o", out, "--target=cpu", "--precision=fp16"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"compile.py: mpc-compile failed on {model}")
    return seconds, usage.ru_maxrss * 1024


def main():
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin") / "mpc-compile"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        digits, out = ROOT / "examples/digits/digits.mlir", folder / "out.mpcx"
        cold = [run(binary, digits, folder / f"cold{i}", out) for i in range(RUNS)]
        warm = [run(binary, digits, folder / "cold0", out) for _ in range(RUNS)]
        for name, runs in (("digits, cold", cold), ("digits, warm", warm)):
            rows.append((name, statistics.median(t for t, _ in runs),
                         max(m for _, m in runs), ""))
        for layers in (250, 500, 1000):
            model = folder / f"deep{layers}.mlir"
            with open(model, "w") as file:
                subprocess.run([sys.executable, ROOT / "bench/deep_mlp.py", str(layers)],
                               stdout=file, check=True)
            run(binary, model, folder / "deep", out)
            runs = [run(binary, model, folder / "deep", out) for _ in range(3)]
            seconds = statistics.median(t for t, _ in runs)
            rows.append((f"{layers} layers", seconds, max(m for _, m in runs),
                         f"{1e3 * seconds / layers:.2f} ms per layer"))
    print(f"{'model':14} {'seconds':>8} {'peak MB':>8}")
    for name, seconds, memory, note in rows:
        print(f"{name:14} {seconds:8.3f} {memory / 1e6:8.0f}  {note}".rstrip())


if __name__ == "__main__":
    main()
