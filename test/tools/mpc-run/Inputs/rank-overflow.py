"""usage: rank-overflow.py make FOLDER | check FOLDER

Data of 10 steps of three ranks with two samples each, of which one is large: in
step 4, on rank 1. What metrics and states must then be: the scale grows after 3
good steps, and the bad one is skipped by all.
"""
import json
import math
import pathlib
import struct
import sys

RANKS, BATCH, STEPS, BAD = 3, 2, 10, 4


def make(folder):
    x = [0.5 * math.sin(3.7 * i) for i in range(RANKS * BATCH * STEPS * 4)]
    # Rank r takes samples r, r + 3, ...
    sample = (BAD - 1) * RANKS * BATCH + 1
    x[4 * sample:4 * sample + 4] = [200.0] * 4
    t = [0.2 * math.cos(1.3 * i) for i in range(RANKS * BATCH * STEPS * 3)]
    for name, values in (("x", x), ("t", t)):
        (folder / f"{name}.raw").write_bytes(struct.pack(f"<{len(values)}f", *values))


def tensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: data[8 + size:][slice(*facts["data_offsets"])] for name, facts in header.items()
            if name != "__metadata__"}


def expected_scales():
    scale, good = 1024.0, 0
    for step in range(1, STEPS + 1):
        yield scale
        if step == BAD:
            scale, good = scale / 2, 0
        elif (good := good + 1) == 3:
            scale, good = scale * 2, 0


def check(folder):
    ranks, alone = ([json.loads(line) for line in open(folder / f"{name}.jsonl")] for name in ("ranks", "alone"))
    print("skipped:", [line["step"] for line in ranks if line["found_inf"]], "alone:",
          [line["step"] for line in alone if line["found_inf"]])
    print("scales as they must be:", [line["scale"] for line in ranks] == list(expected_scales()))
    print("losses finite:", not any(line["nonfinite_loss"] for line in ranks))
    print("losses alike:", all(math.isclose(one["loss"], other["loss"], rel_tol=1e-3)
                               for one, other in zip(ranks, alone)))
    before, after = (tensors(folder / f"s.step-{step}") for step in (BAD - 1, BAD))
    print("parameters of the bad step stay:", before["w"] == after["w"], "of the next:",
          after["w"] == tensors(folder / f"s.step-{BAD + 1}")["w"])


{"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
