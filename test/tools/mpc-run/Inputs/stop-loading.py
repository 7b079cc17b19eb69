"""stop-loading.py FOLDER OPTION COMMAND...: ends a run by SIGTERM while it waits for its data, and says what it left."""
import os
import signal
import subprocess
import sys
import time

folder, option, *command = sys.argv[1:]
os.mkdir(folder)
pipe = folder + "/x.npy"
os.mkfifo(pipe)
run = subprocess.Popen([*command, "--input", "x=" + pipe, option, folder + "/written"])
end = None
while end is None and run.poll() is None:
    try:
        end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # the run does not read yet
        time.sleep(0.001)
run.send_signal(signal.SIGTERM)  # it has begun to load
code = run.wait(timeout=60)
print("ended by", signal.Signals(-code).name if code < 0 else code, end=", ")
print("leaving", sorted(os.listdir(folder)))
