"""Compiles, trains and compares random nets (net_models.py).

usage: random-nets.py FOLDER [--cuda BUILD] FIRST:LAST

Each seed is a net. What it computes, forward and one step, running statistics too, must agree with the reference
interpreter in f32, and by the error rule every third in bf16 or fp16, as train-and-compare.py has it; with --cuda BUILD
also with emulated kernels.
"""
import argparse
import pathlib
import subprocess
import sys

from net_models import Net

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("seeds")
    parser.add_argument("--cuda")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    compare = [sys.executable, str(pathlib.Path(__file__).with_name("train-and-compare.py"))]
    cuda = ["--cuda", options.cuda] if options.cuda else []
    failed = []
    for seed in range(first, last + 1):
        net, path = Net(seed), f"{options.folder}/{seed}.mlir"
        pathlib.Path(path).write_text(net.write())
        precisions = [("fp32", [])] + ([("bf16" if seed % 2 else "fp16", ["--error-rule"])] if net.is_narrow else [])
        for precision, bounds in precisions:
            command = [*compare, path, f"{options.folder}/{seed}", "--steps=1", "--low=-0.5", "--high=0.5",
                       f"--classes={net.steps + 1}", *bounds, *cuda, "--", f"--precision={precision}", "--loss-scale=none"]
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                print(f"seed {seed}, {precision}: " + " ".join(command) + f"\nexit code {result.returncode}")
                print(result.stdout + result.stderr)
                failed.append(seed)
    print(f"{last + 1 - first} nets" + (f", wrong: {failed}" if failed else ""))
    sys.exit(1 if failed else 0)


main()
