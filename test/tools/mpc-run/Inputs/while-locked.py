"""Runs a command while another process seems to write a file: FILE COMMAND...

Says how the command ended, and its error."""
import fcntl
import os
import struct
import subprocess
import sys

file, *command = sys.argv[1:]
# struct flock: the whole file.
whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
with open(file + ".lock", "w") as lock:
    fcntl.fcntl(lock, fcntl.F_OFD_SETLK, whole)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
os.remove(file + ".lock")
print(done.returncode, done.stderr.strip())
