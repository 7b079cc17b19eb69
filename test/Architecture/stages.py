"""Fails where a pass on graph ops does not stand in the folder of its stage.

A stage is a file of records (Passes/<Stage>.td) and a folder of sources with one file for each record.
"""
import pathlib
import re
import sys

RECORDS = "include/mpc/Dialect/Graph/Transforms/Passes"
SOURCES = "lib/Dialect/Graph/Transforms"
RECORD = re.compile(r"^def (\w+) : Graph_(Pass|Gate)<", re.M)


def check(root):
    stages = {path.stem: RECORD.findall(path.read_text()) for path in (root / RECORDS).glob("*.td") if path.stem != "Base"}
    for stage, records in sorted(stages.items()):
        for name, _ in records:
            if not (root / SOURCES / stage / f"{name}.cpp").is_file():
                yield f"{RECORDS}/{stage}.td: expected {name} in {SOURCES}/{stage}/{name}.cpp"
    for folder in sorted(path for path in (root / SOURCES).iterdir() if path.is_dir()):
        if folder.name not in stages:
            yield f"{SOURCES}/{folder.name}: expected the folder of a stage, but there is no {RECORDS}/{folder.name}.td"
    if not any(stages.values()):
        yield f"{RECORDS}: expected records of passes, but found none"


def main():
    errors = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(errors) or "all passes stand in the folders of their stages")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
