"""Checks what mpc-run link --json says: FILE RANKS LAUNCHER COLLECTIVES MODEL PROGRAM.

The numbers are such that a link has, and mpc-compile takes the options, which the program then has.
"""
import json
import pathlib
import subprocess
import sys

file, ranks, launcher, collectives, model, program = sys.argv[1:]
told = json.loads(pathlib.Path(file).read_text())
assert list(told) == ["ranks", "launcher", "collectives", "latency_us", "bandwidth_gb_per_s", "options", "all_reduces"], told
assert (told["ranks"], told["launcher"], told["collectives"]) == (int(ranks), launcher, collectives), told
assert told["latency_us"] > 0 and told["bandwidth_gb_per_s"] > 0, told
lengths = [each["bytes"] for each in told["all_reduces"]]
assert len(lengths) == 8 and lengths == sorted(lengths), lengths
for each in told["all_reduces"]:
    assert each["calls"] >= 15 and each["median_us"] > 0, each
    # All but its own part of the bytes, twice; microseconds at GB/s.
    sent = 2 * (int(ranks) - 1) / int(ranks) * each["bytes"]
    expected = told["latency_us"] + sent / told["bandwidth_gb_per_s"] / 1e3
    assert abs(each["predicted_us"] / expected - 1) < 1e-9, (each, expected)
subprocess.run(["mpc-compile", model, "-o", program, *told["options"]], check=True)
settings = json.loads(subprocess.run(["mpc-run", "info", program, "--json"], check=True, capture_output=True, text=True).stdout)
text = json.dumps(settings)
for option, number in zip(told["options"], (told["latency_us"], told["bandwidth_gb_per_s"])):
    name, _, value = option.removeprefix("--").partition("=")
    assert abs(float(value) / number - 1) < 0.005 + 1e-9, (option, number)
    assert name in text, f"{name} is not in what info tells"
