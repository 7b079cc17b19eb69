"""Trains the digits classifier under every precision setting and prints a table against f32.

    python3 bench/training.py [build/bin] [--epochs N] [--only NAME] [--check]

Same seed, same order of batches, dynamic loss scaling wherever 16 bits are involved: rows differ by how the step is
compiled, and by nothing else. Every loss must lie within 5 % of f32's on the test split. With --check the table is not
printed: one line per setting that is off, exit code 1 if there is one.

A setting is a row of SETTINGS: what it is called, and the options of mpc-compile that make it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIGITS = ROOT / "examples/digits"
BOUND = 0.05

SETTINGS = [
    ("fp32", "--precision=fp32 --loss-scale=none"),
    ("fp16, persistent copies", "--precision=fp16 --weight-copies=persistent"),
    ("fp16, cast on the fly", "--precision=fp16 --weight-copies=on-the-fly"),
    ("bf16, f32 master", "--precision=bf16 --loss-scale=none"),
    ("bf16, Kahan compensation", "--precision=bf16 --master=bf16_kahan --loss-scale=none"),
    ("bf16, stochastic rounding", "--precision=bf16 --master=bf16_stochastic --loss-scale=none"),
    ("Apex O1", "--profile=apex-O1"),
    ("Apex O2", "--profile=apex-O2"),
    ("mode torch, fp16", "--precision=fp16 --autocast=torch"),
    ("mode tf, fp16", "--precision=fp16 --autocast=tf"),
    ("mode cheapest, fp16", "--precision=fp16 --autocast=cheapest"),
]


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"training.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


def inputs(split, prefix="--input"):
    return [prefix, f"x={DIGITS}/data/{split}-images.npy", prefix, f"label={DIGITS}/data/{split}-labels.npy"]


def train(binaries, folder, options, epochs):
    """Test loss, test accuracy, skipped steps of one setting."""
    program, weights = folder / "digits.mpcx", folder / "weights.safetensors"
    run(binaries / "mpc-compile", DIGITS / "digits.mlir", "-o", program, "--target=cpu", *options.split())
    run(binaries / "mpc-run", "train", program, "--epochs", epochs, "--seed", 0, *inputs("train"),
        "--save", weights, "--summary", folder / "train.json")
    run(binaries / "mpc-run", "eval", program, "--weights", weights, *inputs("test"), "--ignore", "label",
        "--accuracy", "logits:label", "--metrics", folder / "eval.json")
    trained = json.loads((folder / "train.json").read_text())
    tested = json.loads((folder / "eval.json").read_text())
    return tested["eval_loss"], tested["eval_accuracy"], trained.get("skipped", 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--only", help="settings whose name contains this, and fp32")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    reference, off = None, 0
    if not arguments.check:
        print("| setting | options | test loss | against f32 | test accuracy | skipped |\n|---|---|---|---|---|---|")
    for name, options in SETTINGS:
        if reference is not None and arguments.only and arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            loss, accuracy, skipped = train(arguments.binaries, pathlib.Path(folder), options, arguments.epochs)
        reference = loss if reference is None else reference
        change = loss / reference - 1
        if abs(change) > BOUND:
            off += 1
            print(f"{name}: test loss {loss:.4f} is {100 * change:+.1f} % off f32's {reference:.4f}", file=sys.stderr)
        if not arguments.check:
            print(f"| {name} | `{options}` | {loss:.4f} | {100 * change:+.2f} % | {100 * accuracy:.2f} % | {skipped} |",
                  flush=True)
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
