"""Writes a checkpoint again with another count in it.

usage: set-count.py FILE RESULT NAME=VALUE...

NAME is a state of type i32, or a key of the metadata. RESULT may be - for the
counts of FILE, printed."""
import json
import struct
import sys

path, result, *changes = sys.argv[1:]
with open(path, "rb") as file:
    size = int.from_bytes(file.read(8), "little")
    header, data = json.loads(file.read(size)), bytearray(file.read())
for change in changes:
    name, _, value = change.partition("=")
    if name in header["__metadata__"]:
        header["__metadata__"][name] = value
        continue
    assert header[name]["dtype"] == "I32" and header[name]["shape"] == []
    begin, end = header[name]["data_offsets"]
    if result == "-":
        print(name, struct.unpack("<i", data[begin:end])[0])
    else:
        data[begin:end] = struct.pack("<i", int(value))
if result != "-":
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(result, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
