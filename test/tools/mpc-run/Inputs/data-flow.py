"""usage: data-flow.py make FOLDER | show FILE

make: samples whose gradients are those of the data flow in Accelerate's guide
on how ranks train, of one batch for each of four ranks, and of four.
"""
import pathlib
import sys

import numpy as np

SAMPLES = np.array([[1.0, 2.0, 3.0], [1.1, 2.1, 3.1], [0.9, 1.9, 2.9], [1.0, 2.0, 3.0]], np.float32)
# Of four micro-batches; their mean is 1, and the sums on the way are exact.
FACTORS = np.array([0.5, 0.5, 1, 2], np.float32)

if sys.argv[1] == "make":
    folder = pathlib.Path(sys.argv[2])
    np.save(folder / "one.npy", SAMPLES)
    np.save(folder / "four.npy", np.concatenate([SAMPLES * factor for factor in FACTORS]))
else:
    print(np.load(sys.argv[2]).tolist())
