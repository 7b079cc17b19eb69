"""Writes numbers to a file as f32: write-raw.py FILE COUNT VALUE."""
import struct
import sys

path, count, value = sys.argv[1:]
with open(path, "wb") as file:
    file.write(struct.pack("<f", float(value)) * int(count))
