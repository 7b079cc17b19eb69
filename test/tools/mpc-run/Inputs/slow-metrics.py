"""Ranks whose metrics go into a pipe that nobody reads until they are done.
Arguments: the pipe, the file that --save names, the command."""
import json
import os
import subprocess
import sys
import time

pipe, saved, command = sys.argv[1], sys.argv[2], sys.argv[3:]
os.mkfifo(pipe)
reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
os.set_blocking(reader, True)
process = subprocess.Popen([*command, "--metrics", pipe, "--save", saved], stdout=subprocess.DEVNULL)
end = time.monotonic() + 120
while not os.path.exists(saved) and process.poll() is None and time.monotonic() < end:
    time.sleep(0.02)
time.sleep(float(os.environ.get("SECONDS_BEHIND", 3)))  # longer than ranks wait for each other
lines = open(reader).read().splitlines()
steps = [json.loads(line)["step"] for line in lines]
print("exit code", process.wait(), "steps", len(steps), "in order", steps == list(range(1, len(steps) + 1)))
