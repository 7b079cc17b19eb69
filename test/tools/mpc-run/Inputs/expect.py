"""Runs a command that must end with the given exit code; prints its errors."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
print(done.stderr, end="")
lines = done.stderr.count("\n")
if done.returncode != int(sys.argv[1]) or lines != 1:
    sys.exit(f"expected exit code {sys.argv[1]} and one line, but got {done.returncode} and {lines}")
