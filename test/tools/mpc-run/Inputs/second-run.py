"""While one run goes on, starts others: COMMAND... -- OPTIONS OF THE FIRST... -- OPTIONS OF ANOTHER... -- ...
Says how each of the others ended, and then the first."""
import signal
import subprocess
import sys

parts = [[]]
for word in sys.argv[1:]:
    if word == "--":
        parts.append([])
    else:
        parts[-1].append(word)
common, first, *others = parts
running = subprocess.Popen(common + first, stdout=subprocess.PIPE, text=True)
try:
    running.stdout.readline()
    for options in others:
        done = subprocess.run(common + ["--steps", "3"] + options, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
        print(done.returncode, done.stderr.strip() or "accepted")
finally:
    running.send_signal(signal.SIGTERM)
    running.stdout.read()
    running.wait()
print("first:", running.returncode)
