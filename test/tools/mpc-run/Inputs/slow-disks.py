"""usage: slow-disks.py CASE FOLDER MPC_RUN train PROGRAM OPTION...

Two ranks save to FOLDER in each step, and the share of one of them goes to a pipe that is full: a disk that takes
as long as we like. Meanwhile:

trouble  rank 1, whose disk it is, cannot write its metrics, and ends. Then the pipe is closed.
failure  rank 1 is killed, and then the pipe of rank 0 is closed: rank 0 cannot write, nor tell anybody.
late     rank 1 has written, and is killed; then the pipe of rank 0 is read: all is written, but nobody is told.
"""
import os
import pathlib
import signal
import sys
import time

import rank_processes

case, folder, *command = sys.argv[1:]
folder = pathlib.Path(folder)
step = folder / "step-000001.unfinished"
step.mkdir(parents=True)
slow = step / f"rank-{1 if case == 'trouble' else 0}-of-2.safetensors"
os.mkfifo(slow)
reader = os.open(slow, os.O_RDONLY | os.O_NONBLOCK)
metrics = []
if case == "trouble":
    (folder.parent / f"{folder.name}.rank-1.jsonl").symlink_to("/dev/full")
    metrics = ["--rank-metrics", f"{folder}.jsonl"]
launcher = rank_processes.Launcher([*command, "--ranks=2", "--timeout=30", "--steps=1000", "--save-dir", str(folder),
                                    "--save-every=1", *metrics])
if case == "trouble":
    errors = ""
    for line in launcher.process.stderr:
        errors += line
        if "error:" in line:
            break
    os.close(reader)
    print(errors + launcher.end()[1])
    sys.exit()
other = step / "rank-1-of-2.safetensors"
while not other.exists():
    time.sleep(0.01)
time.sleep(3)  # Rank 1 has said so by then.
os.kill(launcher.ranks()[1], signal.SIGKILL)
time.sleep(2)  # Rank 0 knows by then.
if case == "late":
    os.set_blocking(reader, True)
    while os.read(reader, 1 << 16):
        pass
os.close(reader)
output, errors = launcher.process.communicate(timeout=120)
print(errors + output)  # Warnings go to the latter.
print("exit code", launcher.process.returncode, "left:", sorted(path.name for path in folder.glob("step-*")))
