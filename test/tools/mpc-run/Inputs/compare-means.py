"""Fails unless running means of two checkpoints are equal to f32, and their running variances are near each other.

usage: compare-means.py FILE FILE
"""
import json
import pathlib
import sys

import numpy as np


def read(path):
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    return [np.frombuffer(data[8 + size:][slice(*header[name]["data_offsets"])], "<f4") for name in ("mean", "variance")]


one, two = map(read, sys.argv[1:])
np.testing.assert_allclose(one[0], two[0], rtol=1e-5, atol=1e-6)
np.testing.assert_allclose(one[1], two[1], rtol=0.1)
