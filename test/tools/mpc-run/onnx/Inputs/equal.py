"""Fails unless each tensor of FIRST is in SECOND, with the same values as float16 holds them: equal.py FIRST SECOND"""
import json
import pathlib
import sys


def read(path):
    data = pathlib.Path(path).read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header.pop("__metadata__", None)
    return {name: data[end + t["data_offsets"][0]:end + t["data_offsets"][1]] for name, t in header.items()}


first, second = read(sys.argv[1]), read(sys.argv[2])
assert len(first) == 8, first.keys()
different = [name for name in first if first[name] != second[name]]
assert different == ["half"], different  # which lay in 16 bits meanwhile
