"""usage: compare-losses.py A.jsonl B.jsonl BOUND

Fails where losses of the same step are further apart, relatively.
"""
import json
import sys

a, b = ([json.loads(line) for line in open(name)] for name in sys.argv[1:3])
if [line["step"] for line in a] != [line["step"] for line in b] or not a:
    sys.exit(f"other steps: {len(a)} and {len(b)} lines")
worst = max(abs(x["loss"] - y["loss"]) / abs(x["loss"]) for x, y in zip(a, b))
if not worst <= float(sys.argv[3]):
    sys.exit(f"losses are up to {worst} apart")
