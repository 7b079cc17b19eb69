#!/usr/bin/env python3
"""Prints the table of scripts/demo and fails if a goal is missed.

    examples/digits/table.py out/demo

Goals: at least 96 % accuracy on the test split for every precision, and a test
loss of mixed precision within 5 % of fp32's.
"""
import json
import math
import pathlib
import sys

LEAST_ACCURACY = 0.96
LARGEST_LOSS_RATIO = 1.05
HEAD = ["precision", "train loss", "test loss", "accuracy", "skipped", "final scale", "ms/step",
        "KiB planned", "KiB used"]


def read(folder):
    train = json.loads((folder / "train.json").read_text())
    return train, json.loads((folder / "eval.jsonl").read_text())


def row(precision, train, test):
    scale = train.get("scale")
    return [precision, f"{train['loss']:.4f}", f"{test['eval_loss']:.4f}",
            f"{test['eval_accuracy']:.2%}", str(train.get("skipped", "-")),
            f"2^{math.log2(scale):g}" if scale else "-", f"{train['ms_per_step']:.3f}",
            f"{train['planned_bytes'] / 1024:.1f}", f"{train['used_bytes'] / 1024:.1f}"]


def missed_goals(results):
    reference = results["fp32"][1]["eval_loss"]
    for precision, (_, test) in results.items():
        if not test["eval_accuracy"] >= LEAST_ACCURACY:
            yield f"{precision}: expected an accuracy of at least {LEAST_ACCURACY:.0%}, " \
                  f"but got {test['eval_accuracy']:.2%}"
        ratio = test["eval_loss"] / reference
        if not 1 / LARGEST_LOSS_RATIO <= ratio <= LARGEST_LOSS_RATIO:
            yield f"{precision}: expected a test loss within 5 % of fp32's {reference:.4f}, " \
                  f"but got {test['eval_loss']:.4f}"


def main(out):
    results = {name: read(pathlib.Path(out) / name) for name in ("fp32", "bf16", "fp16")}
    table = [HEAD] + [row(name, *result) for name, result in results.items()]
    widths = [max(map(len, column)) for column in zip(*table)]
    print()
    for line in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
    missed = list(missed_goals(results))
    print("\n".join(["", *missed] if missed else ["", f"all goals met; files are in {out}"]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
