"""Asks a run to end while it waits for a compiler that hangs, and tells how it ended and whether it saved.
Arguments: how it hangs: it "waits", it "closes" its output, or is "deaf" to being asked; a folder; the file that the
run writes; the command, to which --compiler is added."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

how, folder, saved, command = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]
compiler, began, temporary = folder / "hangs", folder / "began", folder / "temporary"
for path in (began, saved):
    path.unlink(missing_ok=True)
shutil.rmtree(temporary, ignore_errors=True)
temporary.mkdir()
first = {"waits": "", "closes": "exec >&- 2>&-\n", "deaf": "trap '' TERM\n"}[how]
compiler.write_text(f"#!/bin/sh\n{first}echo left > $TMPDIR/left\necho $$ > {began}\nexec sleep 600\n")
compiler.chmod(0o755)
run = subprocess.Popen([*command, "--compiler", compiler], env=dict(os.environ, TMPDIR=temporary))
while not (began.exists() and began.read_text().endswith("\n")) and run.poll() is None:
    time.sleep(0.01)
run.send_signal(signal.SIGTERM)
try:
    print("ended by", run.wait(timeout=60), "saved" if saved.exists() else "without saving")
    print("left:", os.listdir(temporary))
    os.kill(int(began.read_text()), 0)
    print("the compiler goes on")
except ProcessLookupError:
    print("so did the compiler")
except subprocess.TimeoutExpired:
    run.kill()
    print("did not end")
