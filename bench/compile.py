"""Times mpc-compile as a whole process and prints tables.

    python3 bench/compile.py [build/bin]

Target cpu: digits cold (empty cache) and warm, median of runs; classifiers of
250, 500 and 1,000 layers (bench/models/deep_mlp.py), warm, with the peak of resident
memory. Time per layer should not grow. Target cuda, where a toolkit is: digits
and a transformer block for sm_90, cold and warm, and what one kernel costs: the
processor time of the cold run, ptxas with it, less that of the warm one, over
the kernels compiled.
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 7


class Run:
    """One compilation: seconds on the clock and of processors (children
    included), peak resident bytes, kernels compiled for GPUs."""

    def __init__(self, binary, model, cache, out, *options):
        environment = dict(os.environ, MPC_CACHE_DIR=str(cache))
        start = time.perf_counter()
        process = subprocess.Popen([binary, model, "-o", out, "--time", *options], env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        text = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds = time.perf_counter() - start
        if status != 0:
            sys.exit(f"compile.py: mpc-compile failed on {model}:\n{text}")
        self.processor = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
        compiled = re.search(r"(\d+) compiled to PTX", text)
        self.kernels = int(compiled.group(1)) if compiled else 0


def median(runs, field):
    return statistics.median(getattr(run, field) for run in runs)


def cpu(binary, folder):
    rows = []
    options = "--target=cpu", "--precision=fp16"
    digits, out = ROOT / "examples/digits/digits.mlir", folder / "out.mpcx"
    cold = [Run(binary, digits, folder / f"cold{i}", out, *options) for i in range(RUNS)]
    warm = [Run(binary, digits, folder / "cold0", out, *options) for _ in range(RUNS)]
    rows += [("digits, cold", cold, ""), ("digits, warm", warm, "")]
    for layers in (250, 500, 1000):
        model = folder / f"deep{layers}.mlir"
        with open(model, "w") as file:
            subprocess.run([sys.executable, ROOT / "bench/models/deep_mlp.py", str(layers)],
                           stdout=file, check=True)
        Run(binary, model, folder / "deep", out, *options)
        runs = [Run(binary, model, folder / "deep", out, *options) for _ in range(3)]
        rows.append((f"{layers} layers", runs,
                     f"{1e3 * median(runs, 'seconds') / layers:.2f} ms per layer"))
    print(f"{'target cpu':22} {'seconds':>8} {'peak MB':>8}")
    for name, runs, note in rows:
        memory = max(run.memory for run in runs)
        print(f"{name:22} {median(runs, 'seconds'):8.3f} {memory / 1e6:8.0f}  {note}".rstrip())


def cuda_models(folder):
    yield "digits, fp16", ROOT / "examples/digits/digits.mlir", "fp16"
    script = ROOT / "test/Target/Cuda/Inputs/make-model.py"
    for kind, size in (("block", 768), ("vocab", 50257)):
        model = folder / f"{kind}.mlir"
        with open(model, "w") as file:
            subprocess.run([sys.executable, script, kind, str(size)], stdout=file, check=True)
        yield f"{kind} of {size}, bf16", model, "bf16"


def cuda(binary, folder):
    print(f"\n{'':31} {'seconds':>17} {'processor seconds':>19}\n"
          f"{'target cuda, sm_90':22} {'kernels':>8} {'cold':>8} {'warm':>8} "
          f"{'cold':>10} {'warm':>8} {'ms per kernel':>14}")
    out = folder / "out.mpcx"
    for number, (name, model, precision) in enumerate(cuda_models(folder)):
        options = "--target=cuda", f"--precision={precision}"
        caches = [folder / f"cuda{number}.{i}" for i in range(RUNS)]
        cold = [Run(binary, model, cache, out, *options) for cache in caches]
        warm = [Run(binary, model, cache, out, *options) for cache in caches]
        kernels = cold[0].kernels
        cost = median(cold, "processor") - median(warm, "processor")
        print(f"{name:22} {kernels:8} {median(cold, 'seconds'):8.3f} "
              f"{median(warm, 'seconds'):8.3f} {median(cold, 'processor'):10.3f} "
              f"{median(warm, 'processor'):8.3f} {1e3 * cost / kernels:14.1f}")


def has_toolkit(binary, folder):
    """Whether mpc-compile finds libdevice and ptxas."""
    process = subprocess.run(
        [binary, ROOT / "examples/digits/digits.mlir", "-o", folder / "probe.mpcx",
         "--target=cuda", "--werror"], capture_output=True, text=True)
    if "CUDA toolkit" in process.stderr:
        print(f"\ntarget cuda left out: {process.stderr.strip()}")
        return False
    return True


def main():
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin") / "mpc-compile"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cpu(binary, folder)
        if has_toolkit(binary, folder):
            cuda(binary, folder)


if __name__ == "__main__":
    main()
