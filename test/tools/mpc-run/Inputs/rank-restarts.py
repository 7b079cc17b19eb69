"""usage: rank-restarts.py FOLDER MPC_RUN train PROGRAM OPTION...

Three ranks that are started again after a fault, by mpc-run's launcher and as
torchrun does it, must save and tell what they do without one.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

from rank_processes import Launcher

FOLDER = pathlib.Path(sys.argv[1])
STEPS = 300
COMMAND = [*sys.argv[2:], f"--steps={STEPS}", "--timeout=20", "--log-every=1"]


def files(name):
    return [f"--save={FOLDER / name}", f"--metrics={FOLDER / name}.jsonl"]


def losses(name):
    lines = (json.loads(line) for line in open(f"{FOLDER / name}.jsonl"))
    return [(line["step"], line["loss"], line["grad_norm"]) for line in lines]


def check(name, code, errors, *words):
    expected = losses("whole")
    assert [step for step, *_ in expected] == list(range(1, STEPS + 1))
    same = (FOLDER / name).read_bytes() == (FOLDER / "whole").read_bytes() and losses(name) == expected
    said = all(any(word in line for line in errors.splitlines()) for word in words)
    print(f"{name}: exit code {code}, same: {same}, said: {said}", flush=True)
    if not said:
        print(errors)


def launch(name, *options):
    return Launcher([*COMMAND, "--ranks=3", *files(name), *options])


def kill_rank(launcher, step, rank):
    launcher.wait_for_step(step)
    os.kill(launcher.ranks()[rank], signal.SIGKILL)


whole = launch("whole")
code, errors = whole.end()
assert code == 0, errors

# Two faults, of another rank each.
twice = launch("twice", "--restarts=2", "--save-every=50")
kill_rank(twice, 120, 1)
kill_rank(twice, 230, 0)
check("twice", *twice.end(),
      "mpc-run: warning: rank 1 was ended by signal 9 (Killed); all ranks go on from step 100, which '",
      "mpc-run: warning: rank 0 was ended by signal 9 (Killed); all ranks go on from step 200, which '", "(restart 2 of 2)")

# Before it has saved: what is in the file is another run's.
other = launch("early", "--seed=7")
assert other.end()[0] == 0
early = launch("early", "--restarts=1")
kill_rank(early, 20, 2)
check("early", *early.end(),
      "rank 2 was ended by signal 9 (Killed); all ranks begin again as they began, since nothing was saved yet (restart 1 of 1)")

# Nobody else comes between them, though no rank is there meanwhile.
meanwhile = launch("meanwhile", "--restarts=1", "--save-every=200")
meanwhile.wait_for_step(20)
meanwhile.process.send_signal(signal.SIGSTOP)
for rank in meanwhile.ranks():
    os.kill(rank, signal.SIGKILL)
other = subprocess.run([*(word for word in COMMAND if not word.startswith("--timeout")), "--seed=7", f"--save={FOLDER / 'meanwhile'}"], capture_output=True, text=True)
print(f"other: exit code {other.returncode}", flush=True)
meanwhile.process.send_signal(signal.SIGCONT)
check("meanwhile", *meanwhile.end(), "all ranks begin again as they began, since nothing was saved yet (restart 1 of 1)")
assert not list(FOLDER.glob("*.lock"))

# Once too often.
often = launch("often", "--restarts=1", "--save-every=10")
kill_rank(often, 20, 1)
kill_rank(often, 40, 1)
code, errors = often.end()
print(f"often: exit code {code}, restarts: {errors.count('(restart ')}", flush=True)


# As torchrun starts ranks: the same command, with the number of the restart.
def start_as_torchrun(restart, *options):
    def environment(rank):
        return os.environ | {"RANK": str(rank), "WORLD_SIZE": "3", "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": "3",
                             "MASTER_ADDR": "localhost", "MASTER_PORT": str(10000 + os.getpid() % 600 * 32),
                             "TORCHELASTIC_RESTART_COUNT": str(restart)}
    command = [*COMMAND, *options, "--save-every=50", "--resume-if-saved"]
    return [subprocess.Popen(command, env=environment(rank), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for rank in range(3)]


def kill_as_torchrun(*options):
    """What the second start tells, and its exit code."""
    ranks = start_as_torchrun(0, *options)
    for line in ranks[0].stdout:
        if line.startswith("step 120/"):
            break
    ranks[2].kill()
    codes = [rank.communicate()[0] and rank.returncode for rank in ranks[:2]]
    assert codes == [1, 1], codes
    ranks[2].communicate()
    ranks = start_as_torchrun(1, *options)
    told = [rank.communicate()[0] for rank in ranks]
    return ranks[0].returncode, told[0]


check("torchrun", *kill_as_torchrun(*files("torchrun")), f"goes on from step 100, which '{FOLDER / 'torchrun'}' holds")


# To folders, which a thread writes: which of them is the newest that a fault finds complete is a matter of chance.
def steps_of(name):
    return f"--save-dir={FOLDER / name}-steps"


folder = launch("folder", "--restarts=1", "--save-every=10", steps_of("folder"))
kill_rank(folder, 120, 1)
check("folder", *folder.end(), "rank 1 was ended by signal 9 (Killed); all ranks go on from step ", "folder-steps/step-000")
check("torchrun-folder", *kill_as_torchrun(*files("torchrun-folder"), steps_of("torchrun-folder")),
      f"goes on from {FOLDER / 'torchrun-folder'}-steps/step-000")
