"""Kills training that saves all the time, and counts the steps before its last
checkpoint that have no line in its metrics.
Arguments: the file that --save names, the one that --metrics names, the command."""
import json
import os
import subprocess
import sys
import time

saved, metrics, command = sys.argv[1], sys.argv[2], sys.argv[3:]
child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
while not os.path.exists(saved):
    time.sleep(0.001)
time.sleep(0.05)
child.kill()
child.wait()
with open(saved, "rb") as file:
    header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
with open(metrics) as file:
    steps = {json.loads(line)["step"] for line in file if line.endswith("\n")}
print("steps without a line:", len(set(range(1, int(header["__metadata__"]["batches"]) + 1)) - steps))
