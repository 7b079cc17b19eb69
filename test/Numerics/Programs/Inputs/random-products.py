"""Compiles, trains and compares random models of products (product_models.py).

usage: random-products.py FOLDER [--cuda BUILD] FIRST:LAST

Each seed is a model. What it computes, forward and one step, must agree with
the reference interpreter in f32, and every third in bf16, as
train-and-compare.py has it; with --cuda BUILD also with emulated kernels. Of
what stands behind a reshape something must have come into library calls, else
the models show nothing of that: on each target, in as many seeds as a quarter
of them.
"""
import argparse
import pathlib
import re
import subprocess
import sys

from product_models import Model

# Two roundings to bf16 of numbers up to 8.
NARROW = ["--rounded", "--rtol=0.05", "--atol=0.13"]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(command) + f"\nexit code {result.returncode}\n" + result.stdout + result.stderr)
    return result.stdout


def count_behind(path, target):
    """Epilogues behind a reshape, in library groups of the forward."""
    text = run("mpc-opt", path, "--compile-to=group", f"--target={target}", "--loss-scale=none",
               "--mlir-print-debuginfo", "--mlir-print-local-scope")
    forward = next(function for function in text.split("func.func @")[1:] if re.match(r"random\d+\(", function))
    count = 0
    for group in forward.split("graph.group ")[1:]:
        body = group.split("graph.yield")[0]
        if group.startswith("<library>") and "graph.matmul" in body:
            count += body.count('loc("behind")')
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("seeds")
    parser.add_argument("--cuda")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    targets = {"cpu": 0, **({"cuda": 0} if options.cuda else {})}
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    compare = [sys.executable, str(pathlib.Path(__file__).with_name("train-and-compare.py"))]
    cuda = ["--cuda", options.cuda] if options.cuda else []
    for seed in range(first, last + 1):
        path = f"{options.folder}/{seed}.mlir"
        pathlib.Path(path).write_text(Model(seed).write())
        for target in targets:
            targets[target] += count_behind(path, target) > 0
        for precision, bounds in [("fp32", [])] + ([("bf16", NARROW)] if seed % 3 == 0 else []):
            run(*compare, path, f"{options.folder}/{seed}", "--steps=1", "--low=-0.5", "--high=0.5", *bounds, *cuda,
                "--", f"--precision={precision}", "--loss-scale=none")
    for target, count in targets.items():
        print(f"{target}: {count} of {last + 1 - first} models have an epilogue behind a reshape in a library call")
        if 4 * count < last + 1 - first:
            sys.exit("too few")


main()
