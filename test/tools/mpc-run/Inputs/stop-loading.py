"""stop-loading.py FOLDER COMMAND...: ends a run by SIGTERM while it waits for its data, and says what it left."""
import os
import signal
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
os.mkdir(folder)
pipe = folder + "/x.npy"
os.mkfifo(pipe)
run = subprocess.Popen([*command, "--input", "x=" + pipe, "--save", folder + "/w.st"])
with open(pipe, "wb"):  # opens when the run does: it has begun to load
    run.send_signal(signal.SIGTERM)
    code = run.wait(timeout=60)
print("ended by", signal.Signals(-code).name if code < 0 else code, end=", ")
print("leaving", sorted(os.listdir(folder)))
