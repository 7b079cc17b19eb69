"""Ends a profile once its folder for temporary files has been made and is gone: it runs steps. COMMAND..."""
import os
import signal
import subprocess
import sys
import tempfile
import time

with tempfile.TemporaryDirectory() as temporary:
    run = subprocess.Popen(sys.argv[1:], env=dict(os.environ, TMPDIR=temporary), stderr=subprocess.PIPE, text=True)
    while not os.listdir(temporary) and run.poll() is None:
        time.sleep(0.001)
    while os.listdir(temporary) and run.poll() is None:
        time.sleep(0.001)
    run.send_signal(signal.SIGTERM)
    print(run.communicate()[1], end="")
    print("exit code", run.returncode)
