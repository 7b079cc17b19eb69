"""Two batches of classify.mlir, of which the first has one label that counts.

usage: ignored-labels.py write FOLDER
       ignored-labels.py check FOLDER   compares what eval wrote with its logits
"""
import json
import math
import os
import struct
import sys

LABELS = (-1, -1, -1, 2, 2, 0, 0, 1)

os.chdir(sys.argv[2])
if sys.argv[1] == "write":
    with open("eight-x.raw", "wb") as file:
        file.write(struct.pack("<48f", *(math.sin(7 * i) for i in range(48))))
    with open("eight-label.raw", "wb") as file:
        file.write(struct.pack("<8i", *LABELS))
    sys.exit()
with open("eight-logits.raw", "rb") as file:
    values = struct.unpack("<32f", file.read())
losses, right = [], 0
for sample, label in enumerate(LABELS):
    if label < 0:
        continue
    row = values[4 * sample:4 * sample + 4]
    losses.append(math.log(sum(map(math.exp, row))) - row[label])
    right += max(range(4), key=row.__getitem__) == label
with open("eight.jsonl") as file:
    result = json.loads(file.read())
assert abs(result["eval_loss"] - sum(losses) / len(losses)) < 1e-5, (result, losses)
assert abs(result["eval_accuracy"] - right / len(losses)) < 1e-9, (result, right)
print("as expected of", len(losses), "labels")
