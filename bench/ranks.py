"""Measures what ranks cost: the GPT of examples/gpt by R ranks of T / R threads each, against one rank of T threads.

    python3 bench/ranks.py [build/bin] [--threads 2] [--ranks 1,2] [--collectives gloo,mpi] [--steps 40] [--rounds 3]
                           [--precision fp32] [--batch 16] [--layers 4] [--width 128] [--heads 4] [--context 128]
    python3 bench/ranks.py [build/bin] --all-reduce 1,1000,1048576 [--ranks 2] [--collectives gloo,mpi] [--rounds 3]
    python3 bench/ranks.py [build/bin] --save-every N [--threads 2] [--ranks 1,2] [--folder DIR] ...

A step has the same --batch samples however many ranks share them, of random tokens, so all do the same work; the ranks'
all-reduces, and what is lost by dividing it, is the difference. Rounds go in turns; of each run the median of its
steps but for the first five counts, of the rounds the median of those. `of one` is the speed beside one rank's, in the
same run. With --all-reduce: the median, the least and the most microseconds of an all-reduce of so many f32, of all
rounds the median, the least and the most. One table; --json FILE writes the figures.

With --save-every N it measures what a checkpoint each N steps costs instead, against none: in a folder (--save-dir), which
is copied and written by a thread, and in a file (--save), which training waits for. `stands still` is the time in which
training waited for its saves, as a share of all, `slower` the whole time beside that without in the same round, with what
the thread takes from the steps; medians of the rounds, and the least and the most. `CPU ms` is what a checkpoint took from
processors, which other programs do not change: with one thread a rank, since several spin. Files go to --folder: disks
differ.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
VOCABULARY, WARM_UP = 84, 5
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command, variables=()):
    words = [str(word) for word in command]
    process = subprocess.run(words, capture_output=True, text=True, env=os.environ | dict(variables))
    if process.returncode != 0:
        sys.exit(f"ranks.py: {' '.join(words)}\n{process.stderr}")
    return process.stdout


def by_mpirun(ranks):
    return "mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks


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


def time_step(options, ranks, engine, program, files, folder):
    """Median milliseconds of a step."""
    metrics = folder / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    command = [options.bin / "mpc-run", "train", program, *files, "--steps", options.steps, "--threads",
               max(1, options.threads // ranks), "--metrics", metrics]
    if ranks == 1:
        run(*command)
    elif engine == "mpi":
        run(*by_mpirun(ranks), *command, "--timeout", 120, variables=AS_ROOT)
    else:
        run(*command, "--timeout", 120, "--ranks", ranks)
    times = [json.loads(line)["ms"] for line in metrics.read_text().splitlines()]
    return statistics.median(times[WARM_UP:])


@contextlib.contextmanager
def prepare(options, counts):
    """A folder, the options that name data in it, and the programs by ranks."""
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        yield folder, write_data(options, folder), {ranks: compile_for(options, ranks, folder) for ranks in counts}


def time_steps(options, counts, engines):
    """Rows of a table."""
    with prepare(options, counts) as (folder, files, programs):
        cases = [(ranks, engine) for ranks in counts for engine in (engines if ranks > 1 else ["-"])]
        rounds = [{case: time_step(options, *case, programs[case[0]], files, folder) for case in cases}
                  for _ in range(options.rounds)]
    for case in cases:
        ratios = [each[cases[0]] / each[case] for each in rounds]
        yield {"ranks": case[0], "by": case[1], "threads of each": max(1, options.threads // case[0]),
               "ms a step": statistics.median(each[case] for each in rounds),
               "of one": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}


WAYS = ("none", "folder", "file")


def time_saves(options, way, ranks, program, files, folder):
    """Seconds of training, those in which it stood still, bytes of the copy, and seconds of processors."""
    summary, target = folder / "summary.json", folder / f"saved-{way}"
    shutil.rmtree(target, ignore_errors=True)
    save = {"none": [], "folder": ["--save-dir", target, "--keep", 2], "file": ["--save", target]}[way]
    every = ["--save-every", options.save_every] if save else []
    several = ["--ranks", ranks, "--timeout", 120] if ranks > 1 else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(options.bin / "mpc-run", "train", program, *files, "--steps", options.steps, "--threads",
        max(1, options.threads // ranks), "--summary", summary, *save, *every, *several)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = json.loads(summary.read_text())
    return (told["seconds"], told["save_seconds"], told.get("checkpoint_copy_bytes", 0),
            after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def compare_saves(options, counts, engines):
    if engines != ["gloo"]:
        sys.exit("ranks.py: expected no --collectives with --save-every, which measures ranks by gloo")
    with prepare(options, counts) as (folder, files, programs):
        for ranks in counts:
            rounds = [{way: time_saves(options, way, ranks, programs[ranks], files, folder) for way in WAYS}
                      for _ in range(options.rounds)]
            for way in WAYS:
                seconds, stood, copied, used = zip(*(each[way] for each in rounds))
                more = [now - each["none"][3] for now, each in zip(used, rounds)]
                slower = sorted(100 * (each[way][0] / each["none"][0] - 1) for each in rounds)
                yield {"ranks": ranks, "checkpoints": way, "MB copied by a rank": copied[0] / 1e6,
                       "ms a step": 1e3 * statistics.median(seconds) / options.steps,
                       "stands still, %": 100 * statistics.median(s / t for s, t in zip(stood, seconds)),
                       "CPU ms": 1e3 * statistics.median(more) / (options.steps // options.save_every),
                       "slower, %": statistics.median(slower), "least": slower[0], "most": slower[-1]}


def time_all_reduces(options, ranks, engine):
    """(median, least, most) microseconds by bytes, and the number of calls."""
    command = [options.bin.parent / "bench/CollectivesBench", *options.all_reduce.split(",")]
    plugins = {"MPC_RANKS_PLUGINS": str(options.bin.parent / "lib")}
    if engine == "mpi":
        output = run(*by_mpirun(ranks), *command, variables=AS_ROOT | plugins)
    else:
        launch = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "MASTER_ADDR": "localhost",
                  "MASTER_PORT": str(random.randrange(10000, 30000))} | plugins
        processes = [subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True,
                                      env=os.environ | launch | {"RANK": str(rank), "LOCAL_RANK": str(rank)})
                     for rank in range(ranks)]
        output = "".join(process.communicate()[0] for process in processes)
        if any(process.returncode for process in processes):
            sys.exit("ranks.py: a rank failed")
    lines = [line.split() for line in output.splitlines()]
    return {int(count): (float(median), float(least), float(most), int(calls))
            for count, median, least, most, calls in lines}


def compare_all_reduces(options, counts, engines):
    cases = [(ranks, engine) for ranks in counts if ranks > 1 for engine in engines]
    rounds = [{case: time_all_reduces(options, *case) for case in cases} for _ in range(options.rounds)]
    for case in cases:
        for count in rounds[0][case]:
            median = statistics.median(each[case][count][0] for each in rounds)
            yield {"ranks": case[0], "by": case[1], "bytes": count, "us": median,
                   "least us": min(each[case][count][1] for each in rounds),
                   "most us": max(each[case][count][2] for each in rounds),
                   "of calls": sum(each[case][count][3] for each in rounds), "GB/s": count / median / 1e3}


def text_of(value):
    return str(value) if not isinstance(value, float) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--collectives", default="gloo")
    parser.add_argument("--all-reduce")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16", "fp16"])
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--save-every", type=int)
    for name, number in (("batch", 16), ("layers", 4), ("width", 128), ("heads", 4), ("context", 128)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    counts = [int(word) for word in options.ranks.split(",")]
    compare = compare_all_reduces if options.all_reduce else compare_saves if options.save_every else time_steps
    rows = list(compare(options, counts, options.collectives.split(",")))
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(text_of(value) for value in row.values()) + " |")
    if options.json:
        options.json.write_text(json.dumps({"options": vars(options) | {"bin": str(options.bin), "json": None, "folder": str(options.folder)}, "rows": rows}) + "\n")


if __name__ == "__main__":
    main()
