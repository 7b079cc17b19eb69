"""Runs a command, and meanwhile a second time, which both write one file of
metrics: says how the second ended, and whether the file is that of the first."""
import json
import signal
import subprocess
import sys

path, command = sys.argv[1], sys.argv[2:]
first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
try:
    first.stdout.readline()
    # One that is not refused would go on for ever.
    second = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
finally:
    first.send_signal(signal.SIGTERM)
    first.stdout.read()
    first.wait()
print("second:", second.returncode, second.stderr.strip())
with open(path) as file:
    steps = [json.loads(line)["step"] for line in file]
print("steps without a gap:", steps == list(range(1, len(steps) + 1)))
