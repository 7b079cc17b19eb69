"""What a changed declaration compiles again: objects by the record or interface that they read.

    python3 bench/rebuild.py [build]

Needs a finished build by Ninja, whose recorded dependencies it counts. A changed summary or comment compiles nothing:
those are stripped from what TableGen writes.
"""
import collections
import pathlib
import re
import subprocess
import sys

PATTERN = re.compile(r"include/mpc/(.*)\.h\.inc$")
KINDS = {"Interfaces/": "interface", "Dialect/Graph/IR/Ops/": "family of ops", "Dialect/": "dialect"}


def readers(build):
    """Generated header -> objects that read it."""
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    found, target = collections.defaultdict(set), None
    for line in deps.splitlines():
        if line and not line[0].isspace():
            target = line.partition(":")[0]
        elif match := PATTERN.search(line.strip()):
            found[match[1]].add(target)
    return found


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "build"
    found = readers(build)
    if not found:
        sys.exit(f"rebuild.py: expected a finished build in {build}, but its dependencies name no header of ours")
    print("| kind | declares | objects |\n|---|---|---|")
    for prefix, kind in KINDS.items():
        rows = {name: objects for name, objects in found.items() if name.startswith(prefix)}
        for name, objects in sorted(rows.items(), key=lambda row: -len(row[1])):
            print(f"| {kind} | {name.removeprefix(prefix)} | {len(objects)} |")
        found = {name: objects for name, objects in found.items() if name not in rows}


if __name__ == "__main__":
    main()
