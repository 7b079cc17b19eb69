"""Kills training again and again while it saves all the time: whatever is there
under the name is a whole checkpoint, and nothing else stays.
Arguments: a folder, the file that --save names, the command."""
import glob
import os
import random
import subprocess
import sys
import time

folder, saved, command = sys.argv[1], sys.argv[2], sys.argv[3:]
generator = random.Random(11)
for _ in range(12):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not os.path.exists(saved):
        time.sleep(0.001)
    time.sleep(generator.uniform(0.02, 0.08))
    child.kill()
    child.wait()
    subprocess.run([*command[:-1], "1", "--resume", saved], check=True, stdout=subprocess.DEVNULL)
print("left:", len(glob.glob(folder + "/*.tmp-*")))
