"""usage: images.py make FOLDER | mirrored FILE.npy | losses A.jsonl B.jsonl

make: 8 images of 3 x 3, with values 0 to 71, as an idx file that gzip has packed.
mirrored: how many of the images in a file are mirrored, which else are as they were.
losses: "same" or "others".
"""
import gzip
import json
import pathlib
import struct
import sys

import numpy as np

IMAGES = np.arange(72, dtype=np.uint8).reshape(8, 3, 3)


def losses(path):
    return [json.loads(line)["loss"] for line in pathlib.Path(path).read_text().splitlines()]


if sys.argv[1] == "make":
    header = struct.pack(">BBBBIII", 0, 0, 8, 3, *IMAGES.shape)
    with gzip.open(pathlib.Path(sys.argv[2]) / "x-idx3-ubyte.gz", "wb") as file:
        file.write(header + IMAGES.tobytes())
elif sys.argv[1] == "mirrored":
    seen = np.load(sys.argv[2])[:, 0]
    originals = IMAGES[seen.min(axis=(1, 2)).astype(int) // 9].astype(np.float32)
    mirrored = [bool((image == original[:, ::-1]).all()) for image, original in zip(seen, originals)]
    same = [bool((image == original).all()) for image, original in zip(seen, originals)]
    print(all(a != b for a, b in zip(mirrored, same)), 0 < sum(mirrored) < len(seen))
else:
    print("same" if losses(sys.argv[2]) == losses(sys.argv[3]) else "others")
