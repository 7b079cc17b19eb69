"""Asks a run to end while it waits for a compiler that hangs, and tells how it ended and whether it saved.
Arguments: a folder, the command, to which --compiler and --save are added."""
import os
import pathlib
import signal
import subprocess
import sys
import time

folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
compiler, began, saved = folder / "hangs", folder / "began", folder / "state"
compiler.write_text(f"#!/bin/sh\necho $$ > {began}\nexec sleep 600\n")
compiler.chmod(0o755)
run = subprocess.Popen([*command, "--compiler", compiler, "--save", saved])
while not (began.exists() and began.read_text()) and run.poll() is None:
    time.sleep(0.01)
run.send_signal(signal.SIGTERM)
try:
    print("ended by", run.wait(timeout=60), "saved" if saved.exists() else "without saving")
    os.kill(int(began.read_text()), 0)
    print("the compiler goes on")
except ProcessLookupError:
    print("so did the compiler")
except subprocess.TimeoutExpired:
    run.kill()
    print("did not end")
