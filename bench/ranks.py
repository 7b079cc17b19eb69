"""Measures what ranks cost: the GPT of examples/gpt by R ranks of T / R threads each, against one rank of T threads.

    python3 bench/ranks.py [build/bin] [--threads 2] [--ranks 1,2] [--steps 40] [--rounds 3] [--precision fp32]
                           [--batch 16] [--layers 4] [--width 128] [--heads 4] [--context 128]

A step has the same --batch samples however many ranks share them, of random tokens, so all do the same work; the ranks'
all-reduces, and what is lost by dividing it, is the difference. Rounds go in turns; of each run the median of its
steps but for the first five counts, of the rounds the median of those. `of one` is the speed beside one rank's, in the
same run. One table; --json FILE writes the figures.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
VOCABULARY, WARM_UP = 84, 5


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"ranks.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


def compile_for(options, ranks, folder):
    """A program whose batch is a rank's share."""
    if options.batch % ranks:
        sys.exit(f"ranks.py: expected a --batch that {ranks} ranks can share, but got {options.batch}")
    model, program = folder / f"gpt{ranks}.mlir", folder / f"gpt{ranks}.mpcx"
    model.write_text(run(sys.executable, ROOT / "examples/gpt/model.py", "--batch", options.batch // ranks, "--layers",
                         options.layers, "--width", options.width, "--heads", options.heads, "--context", options.context))
    run(options.bin / "mpc-compile", model, "-o", program, f"--precision={options.precision}", "--loss-scale=none")
    return program


def write_data(options, folder):
    random = np.random.default_rng(1)
    files = []
    for name in ("tokens", "labels"):
        path = folder / f"{name}.npy"
        np.save(path, random.integers(0, VOCABULARY, (options.batch * 8, options.context), dtype=np.int32))
        files += ["--input", f"{name}={path}"]
    return files


def time_step(options, ranks, program, files, folder):
    """Median milliseconds of a step."""
    metrics = folder / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    several = ["--ranks", ranks, "--timeout", 120] if ranks > 1 else []
    run(options.bin / "mpc-run", "train", program, *files, "--steps", options.steps, "--threads",
        max(1, options.threads // ranks), "--metrics", metrics, *several)
    times = [json.loads(line)["ms"] for line in metrics.read_text().splitlines()]
    return statistics.median(times[WARM_UP:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16", "fp16"])
    parser.add_argument("--json", type=pathlib.Path)
    for name, number in (("batch", 16), ("layers", 4), ("width", 128), ("heads", 4), ("context", 128)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    counts = [int(word) for word in options.ranks.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = write_data(options, folder)
        programs = {ranks: compile_for(options, ranks, folder) for ranks in counts}
        rounds = [{ranks: time_step(options, ranks, programs[ranks], files, folder) for ranks in counts}
                  for _ in range(options.rounds)]
    rows = []
    for ranks in counts:
        ratios = [each[counts[0]] / each[ranks] for each in rounds]
        rows.append({"ranks": ranks, "threads of each": max(1, options.threads // ranks),
                     "ms a step": statistics.median(each[ranks] for each in rounds),
                     "of one": statistics.median(ratios), "least": min(ratios), "most": max(ratios)})
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()) + " |")
    if options.json:
        options.json.write_text(json.dumps({"options": vars(options) | {"bin": str(options.bin), "json": None}, "rows": rows}) + "\n")


if __name__ == "__main__":
    main()
