"""usage: two-ranks.py PROGRAM_OF_0 PROGRAM_OF_1 OPTION... [-- OPTION_OF_1 ...]

Starts two ranks of mpc-run train, as torchrun would, each with its program.
"""
import os
import random
import subprocess
import sys

port = random.randrange(10000, 30000)  # of 16; below those of connections
options = sys.argv[3:]
own = [[], []]
if "--" in options:
    own[1] = options[options.index("--") + 1:]
    options = options[:options.index("--")]
ranks = []
for rank in range(2):
    variables = dict(os.environ, RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE="2",
                     MASTER_ADDR="localhost", MASTER_PORT=str(port))
    ranks.append(subprocess.Popen(["mpc-run", "train", sys.argv[1 + rank], *options, *own[rank]], env=variables))
print("exit codes", *[rank.wait() for rank in ranks], flush=True)
