"""usage: mpi-faults.py MPC_RUN train PROGRAM OPTION...

Starts three ranks by mpirun, which train for long, and does something to one of
them, or to mpirun.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = tempfile.TemporaryDirectory()  # Of what MPI leaves when mpirun is killed.
VARIABLES = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=FOLDER.name,
                 OMPI_MCA_btl_vader_backing_directory=FOLDER.name)


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def start():
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "3", *sys.argv[1:], "--timeout=3", "--log-every=1"]
    launcher = subprocess.Popen(command, env=VARIABLES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    launcher.stdout.readline()  # How many ranks there are.
    launcher.stdout.readline()  # A step is done.
    children = pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    return launcher, [int(child) for child in children]


def left(ranks):
    end = time.monotonic() + 10
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
print(f"mpirun: left: {left(ranks)}", flush=True)
