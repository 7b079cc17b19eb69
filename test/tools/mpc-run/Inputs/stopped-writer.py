"""usage: stopped-writer.py FOLDER MPC_RUN train PROGRAM OPTION...

Two ranks save to FOLDER, and what rank 1 is to write to is a pipe that is full: as long as it lives, rank 0 waits
for it. Then it is stopped.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

from rank_processes import ranks_of

folder, *command = sys.argv[1:]
step = pathlib.Path(folder) / "step-000005.unfinished"
step.mkdir(parents=True)
os.mkfifo(step / "rank-1-of-2.safetensors")
reader = os.open(step / "rank-1-of-2.safetensors", os.O_RDONLY | os.O_NONBLOCK)  # It does not read what a pipe cannot hold.
launcher = subprocess.Popen([*command, "--ranks=2", "--timeout=3", "--steps=1000", "--save-dir", folder, "--save-every=5"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
while not (step / "rank-0-of-2.safetensors").exists():
    time.sleep(0.01)
time.sleep(5)
ranks = ranks_of(launcher.pid)
print("waits:", len(ranks))
if len(ranks) != 2:
    sys.exit(launcher.communicate()[1])
os.kill(ranks[1], signal.SIGSTOP)
begin = time.monotonic()
errors = launcher.communicate(timeout=60)[1]
print(f"exit code {launcher.returncode}, within 25 s: {time.monotonic() - begin < 25}")
print(errors)
