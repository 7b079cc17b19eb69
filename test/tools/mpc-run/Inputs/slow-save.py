"""usage: slow-save.py PIPE COMMAND...

Trains with --save to a pipe, whose reader takes nothing for 5 seconds.
"""
import os
import subprocess
import sys
import time

pipe, command = sys.argv[1], sys.argv[2:]
if os.path.exists(pipe):
    os.remove(pipe)
os.mkfifo(pipe)
begin = time.monotonic()
process = subprocess.Popen([*command, "--save", pipe], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
with open(pipe, "rb") as reader:
    time.sleep(5)
    saved = reader.read()
told = process.communicate(timeout=60)[0]
print(f"exit code {process.returncode}, seconds: {'more' if time.monotonic() - begin > 5 else 'less'},",
      f"saved: {b'batches' in saved}")
if process.returncode:
    print(told)
