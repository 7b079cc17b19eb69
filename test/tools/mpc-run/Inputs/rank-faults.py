"""usage: rank-faults.py MPC_RUN train PROGRAM OPTION...

Starts three ranks, which train for long, and does something to one of them, or
to what has started them.
"""
import os
import re
import signal
import sys
import tempfile
import time

from rank_processes import Launcher, left

BUCKET = re.compile(r"all-reduce of \d+ x f32, bucket \d+ of [2-9] of entry 'step' \(\d+ tensors?\), record \d+ "
                    r"\(all_reduce_start \(backward\) at digits\.mlir:\d+\), after ")
TOLD = ", what step "
FOLDER = tempfile.TemporaryDirectory()
SAVED = os.path.join(FOLDER.name, "saved")


def start():
    launcher = Launcher([*sys.argv[1:], "--ranks=3", "--timeout=3", "--log-every=1", "--save", SAVED,
                         "--save-every=3"])
    launcher.wait_for_step(1)
    return launcher, launcher.ranks()


def fail(name, rank, number, words):
    launcher, ranks = start()
    begin = time.monotonic()
    os.kill(ranks[rank], number)
    code, errors = launcher.end()
    places = " of 3: all-reduce", " of 3: barrier", " of 3: waiting for rank 0, its save of step"
    told = any(place in line for place in places for line in errors.splitlines() if words in line)
    # Of a bucket, which, of how many, what it holds, and the record that begins it.
    told &= all(BUCKET.search(line) or TOLD in line for line in errors.splitlines() if places[0] in line)
    # One that is stopped gets no time to end by itself.
    soon = time.monotonic() - begin < 12
    print(f"{name}: exit code {code}, named: {told}, soon: {soon}, left: {left(ranks)}", flush=True)
    if not told:
        print(errors)


fail("kill", 1, signal.SIGKILL, "rank 1: its connection broke")
fail("stop", 1, signal.SIGSTOP, "rank 1 does not answer")
fail("stop of the first", 0, signal.SIGSTOP, "rank 0, which has the store, does not answer")

launcher, ranks = start()
launcher.process.kill()
print(f"launcher: left: {left(ranks)}", flush=True)

launcher, ranks = start()
launcher.process.send_signal(signal.SIGTERM)  # SIGINT may be ignored where tests run.
code, errors = launcher.end()
print(f"interrupt: exit code {code}, saved: {os.path.exists(SAVED)}, left: {left(ranks)}")
