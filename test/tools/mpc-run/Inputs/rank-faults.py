"""usage: rank-faults.py MPC_RUN train PROGRAM OPTION...

Starts three ranks, which train for long, and does something to one of them, or
to what has started them.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = tempfile.TemporaryDirectory()
SAVED = os.path.join(FOLDER.name, "saved")


def children(process):
    return [int(child) for child in
            pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ranks_of(launcher):
    """In their order; a shell watches over them."""
    return [child for child in children(launcher.pid)
            if b"--timeout" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()]


def start():
    command = [*sys.argv[1:], "--ranks=3", "--timeout=3", "--log-every=1", "--save", SAVED, "--save-every=3"]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    launcher.stdout.readline()  # A step is done.
    return launcher, ranks_of(launcher)


def left(ranks):
    end = time.monotonic() + 5
    while any(map(is_running, ranks)) and time.monotonic() < end:
        time.sleep(0.02)
    return sum(map(is_running, ranks))


def fail(name, number, words):
    launcher, ranks = start()
    os.kill(ranks[1], number)
    errors = launcher.communicate(timeout=60)[1]
    told = any(" of 3: all-reduce" in line or " of 3: barrier" in line for line in errors.splitlines() if words in line)
    print(f"{name}: exit code {launcher.returncode}, named: {told}, left: {left(ranks)}", flush=True)
    if not told:
        print(errors)


fail("kill", signal.SIGKILL, "rank 1: its connection broke")
fail("stop", signal.SIGSTOP, "rank 1 does not answer")

launcher, ranks = start()
launcher.kill()
print(f"launcher: left: {left(ranks)}", flush=True)

launcher, ranks = start()
launcher.send_signal(signal.SIGTERM)  # SIGINT may be ignored where tests run.
launcher.communicate(timeout=60)
print(f"interrupt: exit code {launcher.returncode}, saved: {os.path.exists(SAVED)}, left: {left(ranks)}")
