"""usage: rank-evaluations.py FOLDER RANKS

Evaluations of several ranks against those of one, and what each rank told of
its steps against their means.
"""
import json
import math
import pathlib
import sys

folder, ranks = pathlib.Path(sys.argv[1]), int(sys.argv[2])


def read(name):
    return [json.loads(line) for line in open(folder / name)]


def close(a, b, tolerance):
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


metrics, alone = read("m.jsonl"), read("eval.jsonl")[-1]
found = [line for line in metrics if "eval_loss" in line][-1]
print("evaluation:", found["samples"] == alone["samples"], found["eval_accuracy"] == alone["eval_accuracy"],
      close(found["eval_loss"], alone["eval_loss"], 1e-12))
steps = [line for line in metrics if "loss" in line]
each = [read(f"own.rank-{rank}.jsonl") for rank in range(ranks)]
print("steps of each:", all([line["step"] for line in own] == [line["step"] for line in steps] for own in each))
print("means:", all(close(sum(own[i]["loss"] for own in each) / ranks, line["loss"], 1e-12)
                    for i, line in enumerate(steps)), "own:", len({own[0]["loss"] for own in each}) == ranks)
