"""hold-lock.py FILE COMMAND...: runs a command while FILE is locked for writing as a run that writes metrics locks it."""
import fcntl
import struct
import subprocess
import sys

F_OFD_SETLK = 37

with open(sys.argv[1], "r+b") as file:
    whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    fcntl.fcntl(file, F_OFD_SETLK, whole)
    sys.exit(subprocess.run(sys.argv[2:], check=False).returncode)
