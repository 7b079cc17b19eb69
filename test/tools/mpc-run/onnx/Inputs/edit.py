"""Copies a safetensors file with changes: edit.py FROM TO CHANGE...

-NAME leaves a tensor out, +NAME=2x2 adds zeros, NAME=3x2 gives another shape, NAME=1e9 a number in front, NAME@1=1e9
at element 1.
"""
import json
import pathlib
import sys

import numpy as np

data = pathlib.Path(sys.argv[1]).read_bytes()
end = 8 + int.from_bytes(data[:8], "little")
header = json.loads(data[8:end])
metadata = header.pop("__metadata__", {})
tensors = {name: [t["dtype"], t["shape"], bytearray(data[end + t["data_offsets"][0]:end + t["data_offsets"][1]])]
           for name, t in header.items()}
for change in sys.argv[3:]:
    name, _, value = change.lstrip("+-").partition("=")
    if change[0] == "-":
        del tensors[name]
    elif change[0] == "+":
        shape = list(map(int, value.split("x")))
        tensors[name] = ["F32", shape, bytearray(4 * int(np.prod(shape)))]
    elif "x" in value:
        tensors[name][1] = list(map(int, value.split("x")))
    else:
        name, _, at = name.partition("@")
        at = 4 * int(at or 0)
        tensors[name][2][at:at + 4] = np.float32(value).tobytes()
header, at = {"__metadata__": metadata}, 0
for name, (dtype, shape, content) in tensors.items():
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(content)]}
    at += len(content)
text = json.dumps(header).encode()
pathlib.Path(sys.argv[2]).write_bytes(len(text).to_bytes(8, "little") + text +
                                      b"".join(content for _, _, content in tensors.values()))
