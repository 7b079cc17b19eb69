"""Writes an npy file of f32 in [-4, 4): samples.py FILE DIM..."""
import math
import random
import struct
import sys


def main():
    shape = [int(text) for text in sys.argv[2:]]
    count = math.prod(shape)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (117 - len(header)) + "\n"
    values = random.Random(0)
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode())
        file.write(struct.pack(f"<{count}f", *(values.uniform(-4, 4) for _ in range(count))))


if __name__ == "__main__":
    main()
