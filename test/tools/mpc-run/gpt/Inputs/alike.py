"""usage: alike.py METRICS METRICS: losses of two runs are the same but for the order of f32 sums."""
import json
import pathlib
import sys

runs = [[json.loads(line) for line in pathlib.Path(path).read_text().splitlines()] for path in sys.argv[1:]]
pairs = {key: [(one[key], other[key]) for one, other in zip(*runs, strict=True) if key in one] for key in ("loss", "eval_loss")}
for one, other in sum(pairs.values(), []):
    if not abs(one - other) <= 1e-5 * abs(one):
        sys.exit(f"expected losses alike, but got {one} and {other}")
print(f"{len(pairs['loss'])} losses and {'an evaluation' if len(pairs['eval_loss']) == 1 else pairs} alike")
