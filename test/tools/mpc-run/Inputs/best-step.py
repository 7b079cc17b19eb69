"""Compares the step of a checkpoint with that of the best evaluation in metrics.
Arguments: metrics, which of them, min or max, the checkpoint."""
import json
import struct
import sys

metrics, key, direction, checkpoint = sys.argv[1:]
with open(metrics) as file:
    lines = [json.loads(line) for line in file]
tests = [(line[key], line["step"]) for line in lines if key in line]
sign = 1 if direction == "min" else -1
best = min(tests, key=lambda test: sign * test[0])[1]  # the first of equals
with open(checkpoint, "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
print(f"the file is of step {header['__metadata__']['batches']}, the best is of step {best}")
assert len({value for value, step in tests}) > 1
