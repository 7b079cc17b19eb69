"""Ranks whose lines nobody reads: they train, and what happens to them is seen.
Arguments: what happens, the file that --save names, the command."""
import array
import fcntl
import os
import signal
import sys
import termios
import time

from rank_processes import Launcher, left

how, saved, command = sys.argv[1], sys.argv[2], sys.argv[3:]
launcher = Launcher(command)
output = launcher.process.stdout.fileno()


def wait_until(is_true, what):
    end = time.monotonic() + 120
    while not is_true():
        if time.monotonic() > end or (launcher.process.poll() is not None and not is_true()):
            launcher.process.kill()
            raise SystemExit(f"{how}: expected in two minutes: {what}; {launcher.process.stderr.read()}")
        time.sleep(0.02)


def waiting_bytes():
    count = array.array("i", [0])
    fcntl.ioctl(output, termios.FIONREAD, count)
    return count[0]


if how == "later":  # the reader comes when all is over
    wait_until(lambda: os.path.exists(saved), "saved")
    lines = launcher.process.stdout.read().splitlines()
    steps = [int(line.split()[1].split("/")[0]) for line in lines if line.startswith("step ")]
    print("later: all lines", steps == list(range(1, len(steps) + 1)), "steps", len(steps))
else:
    wait_until(lambda: waiting_bytes() > 60000, "a full pipe")
    ranks = launcher.ranks()
    if how == "SIGKILL":
        os.kill(ranks[1], signal.SIGKILL)
        print("SIGKILL:", launcher.process.stderr.readline(), end="")
    else:
        launcher.process.send_signal(getattr(signal, how))
    wait_until(lambda: left(ranks) == 0, "ranks ended")
    if how == "SIGKILL":
        launcher.process.stdout.read()
    wait_until(lambda: launcher.process.poll() is not None, "the launcher ended")
print(f"{how}: exit code {launcher.process.wait()},", "saved" if os.path.exists(saved) else "not saved")
