"""usage: rank-faults-at-random.py BIN DIGITS KILLS STOPS

One training by three ranks, of which one is killed or stopped at a random time,
again and again; each start goes on from what the one before has saved. No start
may hang, leave a process behind or lose what was saved, and at the end all bits
must be those of a training without faults.
"""
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

from rank_processes import Launcher, is_running

BIN, DIGITS, KILLS, STOPS = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
KEPT = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(KEPT.name)
TIMEOUT, SAVE_EVERY = 2, 5
MARK = f"MPC_TEST_FAULTS={os.getpid()}"


def command(name, *options):
    return [f"{BIN}/mpc-run", "train", f"{FOLDER}/m.mpcx", "--input", f"x={DIGITS}/data/train-images.npy", "--input",
            f"label={DIGITS}/data/train-labels.npy", "--threads=1", "--ranks=3", "--log-every=1",
            f"--timeout={TIMEOUT}", f"--save={FOLDER / name}", f"--metrics={FOLDER / name}.jsonl", *options]


def saved_step(name):
    data = (FOLDER / name).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    assert len(data) == 8 + size + max(tensor["data_offsets"][1] for key, tensor in header.items()
                                       if key != "__metadata__"), "a checkpoint is cut off"
    return int(header["__metadata__"]["batches"])


def marked():
    """Processes of these trainings, whoever is their parent now."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            pass
    return [process for process in found if is_running(process)]


class Reader(threading.Thread):
    """The last step that rank 0 has told."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.step = stream, 0

    def run(self):
        for line in self.stream:
            if line.startswith("step ") and "/" in line.split()[1]:
                self.step = int(line.split()[1].split("/")[0])


def one_fault(number, steps):
    """How long the others took to end."""
    errors = open(FOLDER / "errors", "w+")
    launcher = Launcher(command("faults", f"--steps={steps}", f"--save-every={SAVE_EVERY}", "--resume-if-saved"), errors)
    process = launcher.process
    reader = Reader(process.stdout)
    reader.start()
    while len(ranks := launcher.ranks()) < 3:
        assert process.poll() is None, errors.seek(0) or errors.read()
        time.sleep(0.002)
    helpers = launcher.helpers()
    time.sleep(random.uniform(0, 1.5))
    rank = random.randrange(3)
    begin = time.monotonic()
    os.kill(ranks[rank], number)
    process.wait(timeout=60)
    spent = time.monotonic() - begin
    reader.join()
    errors.seek(0)
    told = errors.read()
    assert process.returncode == 1, (number, rank, process.returncode, told)
    assert told, "nobody said why"
    assert spent < TIMEOUT + 5, (number, rank, spent, told)
    # The step after one that was to be saved comes when it was.
    if (least := (reader.step - 1) // SAVE_EVERY * SAVE_EVERY) > 0:
        assert saved_step("faults") >= least, (saved_step("faults"), least)
    end = time.monotonic() + 2
    while (left := marked() + [each for each in helpers if is_running(each)]) and time.monotonic() < end:
        time.sleep(0.01)
    assert not left, left
    return spent


def run_whole(name, steps, *options):
    subprocess.run(command(name, f"--steps={steps}", *options), check=True, stdout=subprocess.DEVNULL)


def losses(name):
    lines = [json.loads(line) for line in open(f"{FOLDER / name}.jsonl")]
    return [(line["step"], line["loss"], line["grad_norm"]) for line in lines]


seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
random.seed(seed)
print(f"SEED={seed}", flush=True)
os.environ["MPC_TEST_FAULTS"] = str(os.getpid())
subprocess.run([f"{BIN}/mpc-compile", DIGITS / "digits.mlir", "--loss-scale=none", "--batch=4", "--precision=fp32", "-o",
                FOLDER / "m.mpcx"], check=True)
faults = [signal.SIGKILL] * KILLS + [signal.SIGSTOP] * STOPS
random.shuffle(faults)
times = {signal.SIGKILL: [], signal.SIGSTOP: []}
for count, number in enumerate(faults, 1):
    times[number].append(one_fault(number, steps=10_000_000))
    if count % 10 == 0:
        print(f"{count} faults, step {saved_step('faults')}", flush=True)
steps = saved_step("faults") + 10
run_whole("faults", steps, "--resume-if-saved")
run_whole("whole", steps)
assert (FOLDER / "faults").read_bytes() == (FOLDER / "whole").read_bytes(), "other bits"
told = losses("faults")
missing = set(range(1, steps + 1)) - {step for step, *_ in told}
assert not missing and len(told) == steps, (len(told), steps, missing)
assert told == losses("whole"), "other metrics"
for number, spent in times.items():
    if spent:
        print(f"{len(spent)} times {number.name}: all ended within {max(spent):.1f} s ({sum(spent) / len(spent):.1f} on "
              "average), exit code 1, no process left, no checkpoint lost")
print(f"{steps} steps: the bits and metrics of a training without faults")
