"""Whether the summary's loss is the mean of the metrics' over the last epoch.

usage: mean-loss.py FOLDER MPC-RUN

With steps of which none, some and all were skipped."""
import json
import os
import subprocess
import sys

folder, tool = sys.argv[1:]
os.chdir(folder)
subprocess.run(["make-toy-program", "toy.mpcx"], check=True)
subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "make-data.py"), "."], check=True)


def losses(scale):
    """Of the last epoch: those of steps that were taken, of those that were skipped, and the summary's."""
    subprocess.run([tool, "train", "toy.mpcx", "--input", "x=x.npy", "--input", "label=label.npy", "--epochs=2",
                    f"--scale={scale}", "--max-skips=0", "--metrics=m", "--summary=s"],
                   check=True, stdout=subprocess.DEVNULL)
    with open("m") as file:
        lines = [line for line in map(json.loads, file) if line["epoch"] == 2]
    with open("s") as file:
        summary = json.load(file)
    assert len(lines) == 5 and not summary["nonfinite_loss"]
    split = [[line["loss"] for line in lines if line["found_inf"] is skipped] for skipped in (False, True)]
    return *split, summary["loss"]


for scale, kind in ((1024, "none"), (2.0**23, "some"), (1e30, "all")):
    taken, skipped, found = losses(scale)
    assert (kind == "none") == (not skipped) and (kind == "all") == (not taken), (kind, taken, skipped)
    counted = taken or skipped
    assert abs(found - sum(counted) / len(counted)) <= 1e-12 * found, (kind, found)
print("3 means")
