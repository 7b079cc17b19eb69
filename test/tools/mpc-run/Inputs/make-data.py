"""Writes npy files for the toy program into a folder, without NumPy.

x.npy, label.npy: 22 samples (5 whole batches of 4 and 2 over) that are nearly
separable; short-*.npy the first 3; the others are wrong in one way each.
"""
import math
import struct
import sys


def write(path, descr, shape, values, cut=0):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}[descr]
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    data += struct.pack(f"<{len(values)}{code}", *values)
    with open(path, "wb") as file:
        file.write(data[: len(data) - cut])


def main(folder):
    labels = [(5 * i * i + i // 3) % 2 for i in range(22)]
    pixels = []
    for i, label in enumerate(labels):
        noise = [0.3 * math.sin(7 * i + k) for k in range(3)]
        pixels += [noise[0] + (label == 0), noise[1] + (label == 1), noise[2]]
    write(f"{folder}/x.npy", "<f4", (22, 3), pixels)
    write(f"{folder}/label.npy", "<i4", (22,), labels)
    write(f"{folder}/short-x.npy", "<f4", (3, 3), pixels[:9])
    write(f"{folder}/short-label.npy", "<i4", (3,), labels[:3])
    write(f"{folder}/double-x.npy", "<f8", (22, 3), pixels)
    write(f"{folder}/wide-x.npy", "<f4", (11, 6), pixels)
    write(f"{folder}/nan-x.npy", "<f4", (22, 3), [math.nan] + pixels[1:])
    write(f"{folder}/inf-x.npy", "<f4", (22, 3), [math.inf] + pixels[1:])
    write(f"{folder}/huge-x.npy", "<f4", (22, 3), [1e6 * p for p in pixels])
    write(f"{folder}/cut-x.npy", "<f4", (22, 3), pixels, cut=1)


main(sys.argv[1])
