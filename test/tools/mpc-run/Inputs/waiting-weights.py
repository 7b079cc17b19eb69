"""usage: waiting-weights.py WEIGHTS SAVED MPC_RUN train PROGRAM OPTION...

Weights of which half comes through a pipe, and then nothing: of one process that is interrupted, and of rank 1 of two, of
which rank 0 is killed.
"""
import array
import fcntl
import os
import random
import signal
import subprocess
import sys
import termios
import time

weights, saved, *command = sys.argv[1:]
pipe = saved + ".pipe"
os.mkfifo(pipe)


def start(variables, file):
    timeout = ["--timeout", "20"] if variables else []
    return subprocess.Popen([*command, *timeout, "--weights", file, "--save", saved], env=dict(os.environ, **variables),
                            stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # ignored in the background


def write_half():
    """And waits until it is read, behind all that comes before."""
    content = open(weights, "rb").read()
    writer = os.open(pipe, os.O_WRONLY)
    os.write(writer, content[:len(content) // 2])
    waiting, end = array.array("i", [1]), time.monotonic() + 60
    while waiting[0] and time.monotonic() < end:
        time.sleep(0.02)
        fcntl.ioctl(writer, termios.FIONREAD, waiting)
    return writer


def end_of(process):
    try:
        return process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return "none: it waits"


for number in (signal.SIGTERM, signal.SIGINT):
    alone = start({}, pipe)
    writer = write_half()
    alone.send_signal(number)
    print("alone: exit code", end_of(alone), alone.stderr.read(), end="", flush=True)
    os.close(writer)

port = str(random.randrange(10000, 30000))
ranks = [start({"RANK": rank, "WORLD_SIZE": "2", "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "localhost",
                "MASTER_PORT": port}, file) for rank, file in (("0", weights), ("1", pipe))]
writer = write_half()
ranks[0].kill()
print("rank 1: exit code", end_of(ranks[1]), ranks[1].stderr.read(), end="")
