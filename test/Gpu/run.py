"""Runs what pack.py gathered and writes down what came out.

usage: run.py FOLDER OUT [--minutes 9.3] [--allow-skips] [--nvidia-smi PATH]

OUT gets <card>.md and <card>.json, written anew after each step, so that what
ends this program early loses the step at hand alone. A step that cannot run
says why. Exit codes: 0 all checks hold; 1 one does not, or was not run (unless
--allow-skips, or the step is one that not every machine can run).
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import machine
import report

# What our programs answer when there is nothing to run on.
NO_DEVICE = 3


def json_lines(text):
    """The objects among the lines of `text`."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                pass


def shorten(text, most=1200):
    """Its beginning and its end."""
    return text if len(text) <= most else text[:most // 2] + "\n[...]\n" + text[-most // 2:]


def profiled_rows(text):
    """One object per kernel of the CSV that Nsight Compute prints, which has a
    line for each metric of each."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(lines):
        kernel = kernels.setdefault(row["ID"], {"kernel": row["Kernel Name"]})
        kernel[row["Metric Name"].split(".")[0]] = row["Metric Value"]
    return list(kernels.values())


def run_group(command, folder, environment, seconds):
    """What a program printed, and whether it was killed after `seconds`, with all
    that it had started: those keep its output open."""
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace") as process:
        late = False
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err), late


class Run:
    def __init__(self, folder, environment, deadline):
        self.folder, self.environment, self.deadline = folder, environment, deadline

    def step(self, step):
        """The result of one step: state ok, failed or skipped, and why."""
        result = {"name": step["name"], "kind": step["kind"]}
        left = self.deadline - time.monotonic()
        if left < 5:
            return dict(result, state="skipped", why="no time left")
        program = step["command"][0]
        if not (self.folder / program).exists() and not shutil.which(program):
            return dict(result, state="skipped", why=f"no program {program} on this machine")
        begin = time.monotonic()
        limit = min(left, step["seconds"])
        done, late = run_group(step["command"], self.folder, self.environment, limit)
        result["seconds"] = round(time.monotonic() - begin, 2)
        result["rows"] = list((profiled_rows if step.get("csv") else json_lines)(done.stdout))
        if late:
            return dict(result, state="failed", why=f"took more than {limit:.0f} s")
        if done.returncode == 0:
            return dict(result, state="ok")
        text = shorten(done.stderr.strip() or done.stdout.strip())
        result["stderr"] = shorten(done.stderr, 100_000)
        unable = step.get("unable")  # what a tool says where it cannot work
        skipped = done.returncode == NO_DEVICE or (unable and unable in done.stdout + done.stderr)
        return dict(result, state="skipped" if skipped else "failed",
                    why=f"exit code {done.returncode}: {text}")


def passes(step, result, allow_skips):
    """Whether the call may still succeed after this."""
    if result["state"] == "skipped":
        return result["kind"] != "check" or allow_skips or step.get("optional", False)
    return result["state"] == "ok"


def run_all(options, card, manifest, run):
    stem = card["name"].lower().replace("nvidia ", "").replace(" ", "-")
    options.out.mkdir(parents=True, exist_ok=True)
    results, good = [], True
    for step in manifest["steps"]:
        result = run.step(step)
        results.append(result)
        print(f"{result['state']:8}{result['name']}" + (f": {result['why']}" if "why" in result else ""),
              flush=True)
        (options.out / f"{stem}.md").write_text(report.write(card, manifest, results))
        raw = {"card": card, "manifest": manifest, "results": results}
        (options.out / f"{stem}.json").write_text(json.dumps(raw, indent=1) + "\n")
        good &= passes(step, result, options.allow_skips)
        if step.get("essential") and result["state"] != "ok":
            print("run.py: without that nothing else can be right; stopping here", file=sys.stderr)
            good = False
            break
    print(report.counts(results), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=9.3)
    parser.add_argument("--allow-skips", action="store_true")
    parser.add_argument("--nvidia-smi", default="nvidia-smi")
    options = parser.parse_args()
    deadline = time.monotonic() + 60 * options.minutes
    card = machine.query_card(options.nvidia_smi)
    if not card:
        sys.exit(f"run.py: expected an NVIDIA GPU and its driver, but {options.nvidia_smi} finds none")
    manifest = json.loads((options.folder / "manifest.json").read_text())
    folder = options.folder.resolve()
    with tempfile.TemporaryDirectory() as unpacked:
        machine.unpack(folder, pathlib.Path(unpacked))
        run = Run(folder, machine.environment(folder, unpacked), deadline)
        sys.exit(0 if run_all(options, card, manifest, run) else 1)


if __name__ == "__main__":
    main()
