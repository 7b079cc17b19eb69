"""Holds a copy of a model against the model and the checkpoint whose weights it has.

    copies.py MODEL COPY CHECKPOINT ENCODE KEPT

ENCODE is the command that makes a model of its text; its opposite shows both. KEPT: weights, with commas, that the
checkpoint may lack. All else of the two must be the same.
"""
import codecs
import json
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np

TYPES = {1: np.float32, 10: np.float16, 11: np.float64}


def text_of(path, encode):
    command = [word.replace("--encode", "--decode") for word in shlex.split(encode)]
    return subprocess.run(command, stdin=path.open("rb"), capture_output=True, text=True, check=True).stdout


def split(text):
    """The blocks of initializers, and all else."""
    pattern = re.compile(r"^  initializer \{\n(.*?)^  \}\n", re.M | re.S)
    return pattern.findall(text), pattern.sub("", text)


def value_of(block, folder):
    """Name, array and where it lies."""
    name = re.search(r'name: "(.*)"', block)[1]
    shape = tuple(map(int, re.findall(r"^    dims: (\d+)", block, re.M)))
    kind = int(re.search(r"data_type: (\d+)", block)[1])
    pairs = dict(re.findall(r'key: "(\w+)"\s+value: "(.*)"', block))
    raw = re.search(r'raw_data: "(.*)"', block)
    if pairs:
        data = (folder / pairs["location"]).read_bytes()[int(pairs["offset"]):][:int(pairs["length"])]
    elif raw:
        data = codecs.escape_decode(raw[1])[0]
    else:
        numbers = re.findall(r"(?:float|int32)_data: (\S+)", block)
        return name, np.array(list(map(float, numbers))).reshape(shape), "fields"
    return name, np.frombuffer(data, TYPES[kind]).reshape(shape), "outside" if pairs else "inside"


def stored(path):
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header.pop("__metadata__", None)
    types = {"F32": np.float32, "F64": np.float64, "I32": np.int32}
    return {name: np.frombuffer(data[end + t["data_offsets"][0]:end + t["data_offsets"][1]],
                                types[t["dtype"]]).reshape(t["shape"]) for name, t in header.items()}


def main():
    model, copy, checkpoint = map(pathlib.Path, sys.argv[1:4])
    kept = set(sys.argv[5].split(","))
    before, around = split(text_of(model, sys.argv[4]))
    after, around_copy = split(text_of(copy, sys.argv[4]))
    assert around == around_copy
    weights, moved = stored(checkpoint), []
    for old, new in zip(before, after, strict=True):
        (name, first, where), (name2, second, where2) = value_of(old, model.parent), value_of(new, copy.parent)
        assert name == name2 and first.shape == second.shape, (name, name2)
        assert (where == "outside") == (where2 == "outside"), name
        if name not in weights:
            assert name in kept and old == new, name
            continue
        np.testing.assert_array_equal(second, weights[name].astype(second.dtype), name)
        moved += [name] * (not np.array_equal(first, second))
    print(f"{len(after)} initializers, moved: {' '.join(moved)}")


main()
