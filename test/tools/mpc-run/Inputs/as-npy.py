"""Writes bare f32 values to the standard output as npy. usage: as-npy.py FILE.raw ROWS COLUMNS"""
import struct
import sys

header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({sys.argv[2]}, {sys.argv[3]}), }}\n"
with open(sys.argv[1], "rb") as file:
    sys.stdout.buffer.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + file.read())
