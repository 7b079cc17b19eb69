"""Starts training that would take days, stops it as a system does, and tells how
it ended and whether it saved.
Arguments: how, the file that --save names, the command."""
import os
import resource
import signal
import subprocess
import sys

how, saved, command = sys.argv[1], sys.argv[2], sys.argv[3:]


# Whoever starts the process to outlive a signal has it ignored: nohup, and a
# shell what it runs in the background.
ignored = {"nohup": signal.SIGHUP, "background": signal.SIGINT}.get(how)


def ignore():
    signal.signal(ignored, signal.SIG_IGN)


child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         preexec_fn=ignore if ignored else None)
child.stdout.readline()  # it trains
if how in ("SIGHUP", "SIGTERM"):
    child.send_signal(getattr(signal, how))
    if how == "SIGHUP":  # as shells and terminals do, both
        child.send_signal(signal.SIGHUP)
elif how == "limit":
    resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (100, 100))
    child.send_signal(signal.SIGTERM)
elif how == "reader":
    child.stdout.close()
elif ignored:
    child.send_signal(ignored)
    for _ in range(3):
        child.stdout.readline()  # it goes on
    child.send_signal(signal.SIGTERM)
errors = child.stderr.read()
if how != "reader":
    child.stdout.read()
print(errors, end="")
print(how, "exit code", child.wait(), "saved" if os.path.exists(saved) else "not saved")
