"""usage: rank-shares.py make FILE | show FILE RANKS

make: the numbers 0 to 19, a sample each.
show: of each rank of numbers.mlir the losses, which are the means of what it took.
"""
import json
import pathlib
import sys

import numpy as np

if sys.argv[1] == "make":
    np.save(sys.argv[2], np.arange(20, dtype=np.float32)[:, None])
else:
    for rank in range(int(sys.argv[3])):
        lines = pathlib.Path(f"{sys.argv[2]}.rank-{rank}.jsonl").read_text().splitlines()
        losses = [json.loads(line)["loss"] for line in lines]
        print(rank, losses, "per epoch of 3:", [sum(losses[i : i + 3]) for i in range(0, len(losses), 3)])
