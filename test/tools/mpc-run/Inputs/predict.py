"""predict.py write FOLDER: 10 samples for classify.mlir, and wrong labels; predict.py check FOLDER: the logits."""
import json
import math
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[2])
x = [[math.sin(7 * i + k * k) for k in range(6)] for i in range(10)]
labels = [i * i % 4 for i in range(10)]


def write(name, descr, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    code = {"<f4": "f", "<i4": "i"}[descr]
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    (folder / name).write_bytes(data + struct.pack(f"<{len(values)}{code}", *values))


def read_npy(name):
    data = (folder / name).read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return data[10:begin].decode(), struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])


def read_weights():
    data = (folder / "w.safetensors").read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name in ("w1", "b1", "w2"):
            low, high = entry["data_offsets"]
            weights[name] = struct.unpack(f"<{(high - low) // 4}f", data[begin + low:begin + high])
    return weights


def predict(row, w):
    """The second half of the row alone reaches the logits."""
    hidden = [max(0, sum(row[3 + k] * w["w1"][5 * k + j] for k in range(3)) + w["b1"][j]) / 2 for j in range(5)]
    return [sum(hidden[j] * w["w2"][4 * j + c] for j in range(5)) for c in range(4)]


if sys.argv[1] == "write":
    write("x.npy", "<f4", (10, 6), sum(x, []))
    write("label.npy", "<i4", (10,), labels)
    write("wrong.npy", "<i4", (10,), labels[:7] + [4] + labels[8:])
else:
    weights = read_weights()
    wanted = sum((predict(row, weights) for row in x), [])
    for path in sorted(folder.glob("logits*.npy")):
        header, found = read_npy(path.name)
        assert "(10, 4)" in header, (path, header)
        assert all(abs(a - b) < 1e-5 for a, b in zip(found, wanted, strict=True)), path
        print(path.name, "as expected")
