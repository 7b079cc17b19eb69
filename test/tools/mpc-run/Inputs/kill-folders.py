"""usage: kill-folders.py KILLS SEED FOLDER STEPS MPC_RUN train PROGRAM OPTION...

Kills training at random times while it saves each step to folders, goes on from the newest one that is complete, and
so on; with --ranks it is the launcher that is killed, or one of the ranks. Beside it a run to step STEPS that nobody
kills. Afterwards:

- a folder that has a step's name is complete, by its manifest, and holds the bits that the other run has in that step;
- what has another name was passed over, and told;
- each run went on from the newest one that was complete, and the last has the bits of the other run at its end.
"""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

kills, seed, folder, steps, *command = sys.argv[1:]
generator = random.Random(int(seed))
folder = pathlib.Path(folder)
whole, parts, exported = folder / "whole", folder / "parts", folder / "exported"
train = [*command, "--steps", steps, "--save-every", "1"]
seen = collections.Counter()


def children(process):
    try:
        found = [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []
    return found + [each for child in found for each in children(child)]


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def export(path):
    """The bits of a folder, and what is told of it."""
    done = subprocess.run([command[0], "export", path, "-o", exported], check=True, capture_output=True, text=True)
    return exported.read_bytes(), done.stdout + done.stderr


def step_of(path):
    return int(re.fullmatch(r"step-(\d+)(\.unfinished)?", path.name)[1])


def check(path):
    """As a reader does that knows the manifest alone."""
    manifest = json.loads((path / "manifest.json").read_text())
    assert manifest["step"] == step_of(path), path
    for file in manifest["files"]:
        assert (path / file["name"]).stat().st_size == file["bytes"], (path, file)
    assert {each.name for each in path.iterdir()} == {"manifest.json", *(file["name"] for file in manifest["files"])}, path


def newest():
    """The step to go on from, and how many folders are newer."""
    found = sorted(parts.glob("step-*"), key=lambda path: (step_of(path), not path.name.endswith(".unfinished")), reverse=True)
    passed = 0
    for path in found:
        if not path.name.endswith(".unfinished"):
            return step_of(path), passed
        passed += 1
    return 0, 0


def start(step):
    resume = ["--resume", parts] if step else []
    return subprocess.Popen([*train, "--save-dir", parts, *resume], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def changes():
    found = {}
    for path in parts.glob("step-*"):
        try:
            found[path] = path.stat().st_mtime_ns
        except FileNotFoundError:  # It has its name now.
            pass
    return found


def wait_until(process, step, before):
    """It has saved `step`, or is at it: not what was there `before`."""
    while process.poll() is None and not any(step_of(path) >= step and before.get(path) != changed
                                             for path, changed in changes().items()):
        time.sleep(0.001)


def kill():
    before, _ = newest()
    earlier = changes()
    process = start(before)
    wait_until(process, before + generator.randrange(1, 6), earlier)
    time.sleep(generator.uniform(0, 0.05))
    others = children(process.pid)
    ranks = [each for each in others if b"--timeout" in pathlib.Path(f"/proc/{each}/cmdline").read_bytes()] if others else []
    victim = generator.choice([process.pid, *ranks])
    try:
        os.kill(victim, 9)
    except ProcessLookupError:
        pass
    process.communicate(timeout=60)
    end = time.monotonic() + 20
    while any(map(is_running, others)):
        assert time.monotonic() < end, "processes are left"
        time.sleep(0.01)
    for path in parts.glob("step-*"):
        if path.name.endswith(".unfinished"):
            seen["unfinished"] += 1
        else:
            check(path)
    step, passed = newest()
    assert step >= before, (before, step)
    seen["kills"] += 1
    if step and step != before:
        bits, words = export(parts)
        assert words.startswith(f"step {step} ") and words.count("passed over: ") == passed, (step, passed, words)
        assert bits == export(whole / f"step-{step:06}")[0], step
        seen["compared"] += 1
    return step


for path in folder.iterdir():
    sys.exit(f"{path}: expected an empty folder")
subprocess.run([*train, "--save-dir", whole], check=True, stdout=subprocess.DEVNULL)
while seen["kills"] < int(kills):
    parts.mkdir(exist_ok=True)
    if kill() == int(steps):
        subprocess.run(["rm", "-r", parts], check=True)
parts.mkdir(exist_ok=True)
step, passed = newest()
process = start(step)
words = "".join(process.communicate())
assert process.returncode == 0, words
assert words.count("passed over: ") == passed and (step == 0 or f"goes on from {parts}/step-{step:06}\n" in words), words
assert export(parts)[0] == export(whole)[0]
print(f"{seen['kills']} kills, all folders complete, the end is the same")
print(f"compared {seen['compared']}, saw {seen['unfinished']} unfinished", file=sys.stderr)
