"""Trains classes.textproto for one step with classes in dim 1, and compares loss and gradient with the formulas:
class_dim.py MODEL FOLDER

The loss is that of PyTorch's F.cross_entropy (F.nll_loss) for scores [samples, classes, places]: the mean over the
labels that are not ignored of -log softmax(y)[label]; its gradient is (softmax(y) - onehot(label)) / count.
"""
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=True)
X = np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 5 - 1
W = np.array([[1], [-0.5], [2]])
LABELS = np.array([[2, 0], [1, 2]])


def compute(y, target, kind):
    """The loss of the scores y, and its gradient."""
    shifted = np.exp(y - y.max(axis=1, keepdims=True))
    softmax = shifted / shifted.sum(axis=1, keepdims=True)
    if kind == "nll":
        return -(y * target).sum() / target.sum(), -target / target.sum()
    count = y.shape[0] * y.shape[2] if kind == "soft_cross_entropy" else target.sum()
    wide = target.sum(axis=1, keepdims=True)
    return -(np.log(softmax) * target).sum() / count, (softmax * wide - target) / count


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def read_state(name):
    data = (folder / "end.safetensors").read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8:8 + length])[name]["data_offsets"]
    return np.frombuffer(data[8 + length + begin:8 + length + end], np.float32)


def check(loss, kind, target_file, target):
    np.save(folder / "x.npy", X)
    np.save(folder / "t.npy", target_file)
    run("mpc-compile", model, "-o", str(folder / "m.mpcx"), f"--loss={loss}", "--optimizer=sgd", "--lr=1")
    run("mpc-run", "train", str(folder / "m.mpcx"), "--weights", str(folder / "m.weights.safetensors"), "--input",
        f"x={folder}/x.npy", "--input", f"t={folder}/t.npy", "--steps", "1", "--no-shuffle", "--save",
        str(folder / "end.safetensors"), "--metrics", str(folder / "steps.json"))
    found = json.loads((folder / "steps.json").read_text().splitlines()[0])["loss"]
    expected, gradient = compute(X * W, target, kind)
    moved = W[:, 0] - (gradient * X).sum(axis=(0, 2))
    np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=loss)
    np.testing.assert_allclose(read_state("w"), moved, rtol=1e-5, err_msg=loss)


onehot = np.moveaxis(np.eye(3)[LABELS], -1, 1)
for kind in ("cross_entropy", "nll"):
    for dim in (1, -2):
        check(f"{kind}:y,t,class_dim={dim}", kind, LABELS, onehot)
# One label is left out.
ignored = onehot.copy()
ignored[1, :, 0] = 0
check("cross_entropy:y,t,ignore_index=1,class_dim=1", "cross_entropy", LABELS, ignored)
# Probabilities in the place of labels.
soft = np.full((2, 3, 2), 0.2) + np.moveaxis(np.eye(3)[LABELS], -1, 1) * 0.4
check("soft_cross_entropy:y,t,class_dim=1", "soft_cross_entropy", soft.astype(np.float32), soft)
print("class_dim is right")
