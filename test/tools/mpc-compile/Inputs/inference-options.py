"""Compiles a model for inference with each setting by itself, and lists those that are refused and those that are taken.

An option that is refused must say that it is for a step. Names, words and metavars are those of --help.
"""
import re
import subprocess
import sys

SETTINGS = ["Precision", "Loss scaling", "Optimizer, clipping and schedule", "Accumulation and ranks"]
BESIDE = {"--lists": ["--autocast=torch"], "--output": ["--autocast=whole"], "--keep-normalization": ["--autocast=whole"]}
OWN = {"--profile": "torch-cuda", "--loss-scale": "dynamic", "--optimizer": "sgd",
       "--scale-growth": "2", "--scale-ceiling": "1e9"}
VALUES = {"NUMBER": "0.5", "N": "2", "REGEX": ".*", "WORD": "inf"}  # the only free word is --clip-norm-type
# A hyperparameter of another optimizer than the model's is refused for that.
WHY = r"(a training step.*no effect|no \w+ with optimizer adamw)"

model, program = sys.argv[1:]
text = subprocess.run(["mpc-compile", "--help"], capture_output=True, text=True, check=True).stdout
groups = dict(re.findall(r"^(\S[^\n]*):\n((?:  .*\n|\n(?=  ))+)", text, re.M))
refused, taken = [], []
for group in SETTINGS:
    for name, metavar in re.findall(r"^  (--[\w-]+) (\S+)", groups[group], re.M):
        value = OWN.get(name) or VALUES.get(metavar) or metavar.split("|")[-1]
        done = subprocess.run(["mpc-compile", model, "-o", program, "--inference", f"{name}={value}", *BESIDE.get(name, [])],
                              capture_output=True, text=True)
        if done.returncode == 0:
            taken.append(name)
        elif done.returncode == 2 and re.match(rf"mpc-compile: error: {name}=\S+: expected {WHY}", done.stderr):
            refused.append(name)
        else:
            sys.exit(f"{name}={value}: {done.returncode}, {done.stderr}")
print("refused:", *refused)
print("taken:", *taken)
