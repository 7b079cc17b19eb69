"""Runs what pack.py gathered and writes down what came out.

usage: run.py FOLDER OUT [--minutes 8] [--nvidia-smi PATH]

OUT gets <card>.md and <card>.json. A step that cannot run says why; one that
does not hold fails this program (exit code 1) after all others have run.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time


def query_card(program):
    """Name and driver of the first GPU, or None."""
    if not shutil.which(program):
        return None
    fields = "name,driver_version,memory.total,clocks.sm,clocks.mem,power.draw"
    result = subprocess.run([program, f"--query-gpu={fields}", "--format=csv,noheader"],
                            capture_output=True, text=True)
    if result.returncode != 0 or not result.stdout.strip():
        return None
    return dict(zip(fields.split(","), map(str.strip, result.stdout.splitlines()[0].split(","))))


def json_lines(text):
    """The objects among the lines of `text`."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                pass


class Run:
    def __init__(self, folder, deadline):
        self.folder, self.deadline = folder, deadline
        self.environment = dict(os.environ, MPC_CUDA_PLUGIN=str(folder / "lib/libmpcrt_cuda.so"))
        path = self.environment.get("LD_LIBRARY_PATH", "")
        self.environment["LD_LIBRARY_PATH"] = f"{folder / 'lib'}:{path}".rstrip(":")

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
        try:
            done = subprocess.run(step["command"], cwd=self.folder, env=self.environment, text=True,
                                  capture_output=True, timeout=min(left, step["seconds"]))
        except subprocess.TimeoutExpired:
            return dict(result, state="failed", why=f"took more than {min(left, step['seconds']):.0f} s")
        result["seconds"] = round(time.monotonic() - begin, 2)
        result["rows"] = list(json_lines(done.stdout))
        if done.returncode == 0:
            return dict(result, state="ok")
        text = (done.stderr.strip() or done.stdout.strip())[-600:]
        # 3: what our programs answer when there is nothing to run on.
        state = "skipped" if done.returncode == 3 else "failed"
        return dict(result, state=state, why=f"exit code {done.returncode}: {text}")


def cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(rows):
    """A Markdown table of flat objects with the same keys."""
    keys = list(rows[0])
    lines = ["| " + " | ".join(keys) + " |", "|" + " --- |" * len(keys)]
    lines += ["| " + " | ".join(cell(row.get(key, "")) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def grouped(rows):
    """Runs of rows that have the same keys."""
    groups = []
    for row in rows:
        if not groups or list(groups[-1][0]) != list(row):
            groups.append([])
        groups[-1].append(row)
    return groups


def report(card, manifest, results):
    lines = [f"# {card['name']}", "",
             f"Measured {datetime.date.today().isoformat()}, commit `{manifest['commit'][:12]}`"
             + (" with changes" if manifest["changed"] else "")
             + f", driver {card['driver_version']}, {card['memory.total']}, "
             f"kernels for {manifest['archs']}. Made by `scripts/gpu`.", "", "## Checks", "",
             "| check | result | seconds |", "| --- | --- | ---: |"]
    for result in results:
        if result["kind"] == "check":
            words = result["state"] + (f": {result['why'].splitlines()[-1]}" if "why" in result else "")
            lines.append(f"| {result['name']} | {words} | {result.get('seconds', '')} |")
    for result in results:
        if result["kind"] != "check":
            lines += ["", f"## {result['name']}", ""]
            if "why" in result:
                lines += [f"{result['state']}: {result['why'].splitlines()[-1]}"]
            for rows in grouped(result.get("rows", [])):
                lines += [table(rows), ""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--nvidia-smi", default="nvidia-smi")
    options = parser.parse_args()
    card = query_card(options.nvidia_smi)
    if not card:
        sys.exit(f"run.py: expected an NVIDIA GPU and its driver, but {options.nvidia_smi} finds none")
    manifest = json.loads((options.folder / "manifest.json").read_text())
    run = Run(options.folder.resolve(), time.monotonic() + 60 * options.minutes)
    results = []
    for step in manifest["steps"]:
        results.append(run.step(step))
        last = results[-1]
        print(f"{last['state']:8}{last['name']}" + (f": {last['why']}" if "why" in last else ""), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    stem = card["name"].lower().replace("nvidia ", "").replace(" ", "-")
    (options.out / f"{stem}.md").write_text(report(card, manifest, results))
    raw = {"card": card, "manifest": manifest, "results": results}
    (options.out / f"{stem}.json").write_text(json.dumps(raw, indent=1) + "\n")
    sys.exit(any(result["state"] == "failed" for result in results))


if __name__ == "__main__":
    main()
