"""Writes a safetensors file with one tensor, whose name holds what terminals obey.

usage: write-hostile-weights.py FILE [TYPE]
"""
import json
import struct
import sys

name = "w\x1b[2J\x9b1A\x7f"
kind = sys.argv[2] if len(sys.argv) > 2 else "F32"
header = json.dumps({"__metadata__": {"format": "mpc checkpoint 1"}, name: {"dtype": kind, "shape": [1], "data_offsets": [0, 4]}}).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(header)) + header + bytes(4))
