"""product.py write FOLDER: x.raw and w.safetensors; product.py check FOLDER: y.npy is their product."""
import json
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[2])
x = [[1, 2, 3], [-4, 5, 6], [7, -8, 9], [0.5, 0.25, 2]]
w = [[1, 10], [2, 20], [3, -30]]
if sys.argv[1] == "write":
    header = json.dumps({"w": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}}).encode()
    weights = struct.pack("<Q", len(header)) + header + struct.pack("<6f", *sum(w, []))
    (folder / "w.safetensors").write_bytes(weights)
    (folder / "x.raw").write_bytes(struct.pack("<12f", *sum(x, [])))
else:
    y = struct.unpack("<8f", (folder / "y.npy").read_bytes()[-32:])
    wanted = [sum(a * b for a, b in zip(row, column)) for row in x for column in zip(*w)]
    assert list(y) == wanted, (y, wanted)
