"""Compares what mpc-run eval wrote with the toy program's definition."""
import json
import struct
import sys

folder = sys.argv[1]


def read_npy(name, code):
    with open(f"{folder}/{name}", "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - begin) // 4}{code}", data[begin:])


def read_weights():
    with open(f"{folder}/w", "rb") as file:
        data = file.read()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    low, high = json.loads(data[8:begin])["w"]["data_offsets"]
    return struct.unpack("<6f", data[begin + low:begin + high])


def close(a, b):
    return abs(a - b) <= 1e-5 * max(1, abs(b))


x, labels, w = read_npy("x.npy", "f"), read_npy("label.npy", "i"), read_weights()
logits = read_npy("logits.npy", "f")
expected = [sum(x[3 * i + k] * w[2 * k + c] for k in range(3)) for i in range(22) for c in (0, 1)]
assert len(logits) == 44 and all(map(close, logits, expected)), "logits"
losses = [0.5 * sum((expected[2 * i + c] - (labels[i] == c)) ** 2 for c in (0, 1))
          for i in range(22)]
batches = [losses[i:i + 4] for i in range(0, 22, 4)]
assert all(map(close, read_npy("loss.npy", "f"), [sum(b) / len(b) for b in batches])), "losses"
with open(f"{folder}/m.jsonl") as file:
    result = json.loads(file.read())
right = sum((expected[2 * i + 1] > expected[2 * i]) == labels[i] for i in range(22))
assert close(result["eval_loss"], sum(losses) / 22), "mean loss"
assert close(result["eval_accuracy"], right / 22), "accuracy"
print("as expected")
