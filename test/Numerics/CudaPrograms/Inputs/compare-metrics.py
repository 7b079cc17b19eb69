"""Compares what two runs of mpc-run reported, line by line.

compare-metrics.py FILE FILE BOUND: counts and flags must be equal, the other
numbers within the relative bound; times may be anything.
"""
import json
import math
import sys

TIMES = {"ms", "samples_per_s"}
EXACT = {"step", "epoch", "scale", "skipped", "found_inf", "samples"}


def agree(name, one, other, bound):
    if name in TIMES:
        return True
    if name in EXACT or one is None or other is None:
        return one == other
    return math.isclose(one, other, rel_tol=bound)


def main(first, second, bound):
    one, other = ([json.loads(line) for line in open(path)] for path in (first, second))
    if len(one) != len(other) or not one:
        sys.exit(f"expected as many lines, but got {len(one)} and {len(other)}")
    for mine, yours in zip(one, other):
        if mine.keys() != yours.keys():
            sys.exit(f"expected the same facts, but got {mine} and {yours}")
        for name in mine:
            if not agree(name, mine[name], yours[name], float(bound)):
                sys.exit(f"expected the same '{name}', but got {mine} and {yours}")
    print(f"{len(one)} steps agree, {one[-1].get('skipped')} of them skipped")


main(*sys.argv[1:])
