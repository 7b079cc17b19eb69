"""The processes of a launcher of ranks, for scripts that do something to them."""
import pathlib
import subprocess
import time


def children(process):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def left(processes):
    """How many do not end within 5 seconds."""
    end = time.monotonic() + 5
    while any(map(is_running, processes)) and time.monotonic() < end:
        time.sleep(0.02)
    return sum(map(is_running, processes))


def ranks_of(launcher):
    """In their order; a copy of the launcher watches over them, too."""
    def is_rank(child):
        try:
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
            return b"--timeout" in words and b"--ranks" not in words
        except (FileNotFoundError, ProcessLookupError):
            return False
    return [child for child in children(launcher) if is_rank(child)]


class Launcher:
    """A command that starts ranks: mpc-run train ... --ranks=N --timeout=S."""

    def __init__(self, command, errors=subprocess.PIPE):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)

    def helpers(self):
        """All that it has started."""
        return children(self.process.pid)

    def ranks(self):
        return ranks_of(self.process.pid)

    def wait_for_step(self, least):
        """Until a line of such a step comes (--log-every)."""
        for line in self.process.stdout:
            if line.startswith("step ") and int(line.split()[1].split("/")[0]) >= least:
                return
        raise SystemExit(f"no step {least}: {self.process.stderr.read()}")

    def end(self, limit=120):
        """The exit code, and what was written to standard error."""
        errors = self.process.communicate(timeout=limit)[1]
        return self.process.returncode, errors
