"""Writes 20 samples of two numbers, all 1e30, to an npy file."""
import struct
import sys

header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 2), }"
header += " " * (-(10 + len(header) + 1) % 64) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<40f", *[1e30] * 40))
