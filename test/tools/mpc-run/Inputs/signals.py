"""Starts training that would take days, stops it as a system does, and tells how
it ended and whether it saved.
Arguments: how, the file that --save names, the command."""
import os
import resource
import signal
import subprocess
import sys
import time

how, saved, command = sys.argv[1], sys.argv[2], sys.argv[3:]


# Whoever starts the process to outlive a signal has it ignored: nohup, a shell
# what it runs in the background, and who wants no service to end it.
ignored = {"nohup": signal.SIGHUP, "background": signal.SIGINT, "deaf": signal.SIGTERM}.get(how)


def prepare():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored, if the tests run in the background
    if ignored:
        signal.signal(ignored, signal.SIG_IGN)


child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         preexec_fn=prepare)
child.stdout.readline()  # it trains
if how in ("SIGHUP", "SIGTERM"):
    for _ in range(5):  # as shells and terminals do, both, and timeout(1)
        child.send_signal(getattr(signal, how))
        time.sleep(0.0002)  # two that wait are one
elif how == "limit":
    resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (100, 100))
    child.send_signal(signal.SIGTERM)
elif how == "reader":
    child.stdout.close()
elif ignored:
    child.send_signal(ignored)
    enough = 1 << 18  # more than waits in the pipe when it ends
    print(how, "goes on" if len(child.stdout.read(enough)) == enough else "ended")
    child.send_signal(signal.SIGINT if how == "deaf" else signal.SIGTERM)
if how != "reader":
    child.stdout.read()  # first: it waits for whoever reads its lines
print(child.stderr.read(), end="")
print(how, "exit code", child.wait(), "saved" if os.path.exists(saved) else "not saved")
