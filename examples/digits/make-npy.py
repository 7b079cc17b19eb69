#!/usr/bin/env python3
"""Makes the npy files of this folder from scikit-learn's copy of the digits.

    pip download --no-deps --only-binary :all: scikit-learn
    examples/digits/make-npy.py scikit_learn-*.whl examples/digits/data

Needs nothing but Python. Each line of digits.csv.gz holds 64 pixels (0..16) and
the label. Pixels become f32 in [0, 1], labels i32. Of the samples of each
class, in file order, numbers 4, 9, 14, ... go to the test split: 355 of 1,797,
so every class and every part of the file is in both splits.
"""
import gzip
import os
import struct
import sys
import zipfile

MEMBER = "sklearn/datasets/data/digits.csv.gz"


def read_samples(wheel):
    with zipfile.ZipFile(wheel) as archive:
        text = gzip.decompress(archive.read(MEMBER)).decode("ascii")
    for line in text.splitlines():
        *pixels, label = (int(float(field)) for field in line.split(","))
        assert len(pixels) == 64 and all(0 <= p <= 16 for p in pixels)
        yield [p / 16 for p in pixels], label


def split(samples):
    seen = {}
    train, test = [], []
    for image, label in samples:
        number = seen[label] = seen.get(label, -1) + 1
        (test if number % 5 == 4 else train).append((image, label))
    return train, test


def write_npy(path, descr, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode("ascii"))
        file.write(struct.pack(f"<{len(values)}{'f' if descr == '<f4' else 'i'}", *values))


def main(wheel, folder):
    os.makedirs(folder, exist_ok=True)
    for name, samples in zip(("train", "test"), split(read_samples(wheel))):
        images = [pixel for image, _ in samples for pixel in image]
        labels = [label for _, label in samples]
        write_npy(f"{folder}/{name}-images.npy", "<f4", (len(labels), 64), images)
        write_npy(f"{folder}/{name}-labels.npy", "<i4", (len(labels),), labels)
        print(f"{name}: {len(labels)} samples")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
