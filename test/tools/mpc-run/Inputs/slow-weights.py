"""usage: slow-weights.py WEIGHTS PIPE MPC_RUN train PROGRAM OPTION...

Two ranks begin with these weights, of which rank 1 reads a copy that comes through a pipe, 5 seconds late.
"""
import os
import random
import subprocess
import sys
import time

weights, pipe, *command = sys.argv[1:]
os.mkfifo(pipe)
port = random.randrange(10000, 30000)
ranks = []
for rank, file in enumerate([weights, pipe]):
    variables = dict(os.environ, RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE="2",
                     MASTER_ADDR="localhost", MASTER_PORT=str(port))
    ranks.append(subprocess.Popen([*command, "--weights", file], env=variables, stderr=subprocess.STDOUT))
begin = time.monotonic()
with open(pipe, "wb") as writer:
    time.sleep(5)
    with open(weights, "rb") as reader:
        writer.write(reader.read())
print("exit codes", *[rank.wait() for rank in ranks], f"more than 5 s: {time.monotonic() - begin > 5}", flush=True)
