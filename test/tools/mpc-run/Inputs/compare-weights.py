"""Fails unless two safetensors files hold the same bytes under "w" and its
momentum."""
import json
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    body = data[8 + length :]
    return {
        name: body[slice(*entry["data_offsets"])]
        for name, entry in header.items()
        if name != "__metadata__"
    }


first, second = read(sys.argv[1]), read(sys.argv[2])
for name in ("w", "w.momentum_buffer", "step"):
    if first[name] != second[name]:
        sys.exit(f"'{name}' differs")
