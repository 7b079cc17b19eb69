"""Fails when docs/Conformance.md names a test that is not there, or says nothing where a test belongs.

    complete.py SOURCE_DIR

The page has one row per case, under "## Cases", and one per feature, under "## Features". The last cell of a row names
tests in backticks: a file by the end of its path (a .cpp also by its stem), a folder by its path, a GoogleTest case as
<suite>.<name>, <suite> or <name>, with * or ... for the rest of a name. A case has a test of its number (a lit file
<case>-*.mlir or .test under test/Conformance, a GoogleTest case <case>_* or <case>.*) or says why it cannot apply. A
feature has a test ("the same": that of the row above), unless we do not have it: N or "not" in the cell before.
"""
import fnmatch
import pathlib
import re
import sys

CASES = [f"{letter}{number}" for letter, count in (("A", 20), ("B", 18), ("C", 9), ("D", 23))
         for number in range(1, count + 1)] + ["E1", "E2", "E8"]
# What is a name in a cell that also says other things in backticks: a file, or a test of a case.
NAME = re.compile(r".*\.(mlir|test|cpp|py)|(\w+\.)?[A-E]\d+[_.].+")


class Tests:
    """What there is: files and folders by path, GoogleTest cases by name, and the tests of each case."""

    def __init__(self, root):
        paths = [path for path in (root / "test").rglob("*") if "__pycache__" not in path.parts]
        self.names, self.of_case = set(), {}
        for path in paths:
            relative = path.relative_to(root).as_posix()
            parts = relative.split("/")
            self.names |= {"/".join(parts[first:]) for first in range(len(parts))} if path.is_file() else {relative}
            if match := re.match(r"test/Conformance/.*\b([A-E]\d+)[-.].*\.(mlir|test)$", relative):
                self.of_case.setdefault(match[1], set()).add(relative)
            if path.suffix == ".cpp":
                self.names.add(path.stem)
                for case in re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", path.read_text(), re.M):
                    self.add(*case)

    def add(self, suite, name):
        self.names |= {suite, name, f"{suite}.{name}"}
        match = re.match(r"([A-E]\d+)(_|$)", suite) or re.match(r"([A-E]\d+)_", name)
        if match:
            self.of_case.setdefault(match[1], set()).add(f"{suite}.{name}")

    def have(self, name):
        pattern = re.sub(r"\.\.\.$", "*", name)
        return name in self.names or (pattern.endswith("*") and bool(fnmatch.filter(self.names, pattern)))


def rows_of(text):
    """(cells of the header, cells) of every row of every table."""
    header = None
    for line in text.splitlines():
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not header:
            header = cells
        elif not set(line) <= set("|- "):
            yield header, cells


def check_names(row, cell, tests, is_name):
    for name in filter(is_name, re.findall(r"`([^`]+)`", cell)):
        if not tests.have(name):
            yield f"{row}: the test {name} is not there"
    if bare := re.search(r"\S+\.(mlir|test|cpp|py)\b", re.sub(r"`[^`]*`", "", cell)):
        yield f"{row}: expected {bare[0]} in backticks"


def check_cases(text, tests):
    rows = {cells[0]: cells[-1] for _, cells in rows_of(text)}
    for case in CASES:
        if case not in rows:
            yield f"{case}: no row in docs/Conformance.md"
            continue
        yield from check_names(case, rows[case], tests, NAME.fullmatch)
        if not rows[case]:
            yield f"{case}: neither the name of a test nor a reason"
        elif case not in tests.of_case and not re.search(r"[a-z]{2,} [a-z]{2,}", re.sub(r"`[^`]*`", "", rows[case])):
            yield f"{case}: no test of this number, and no reason"
    for case in sorted((set(tests.of_case) | set(rows)) - set(CASES)):
        yield f"{case}: tested, or in a row, but not in the list"


def check_features(rows, tests):
    has_above = False  # Whether the row above names a test.
    for header, cells in rows:
        feature = cells[0]
        if header[-1] != "test" or len(cells) != len(header):
            yield f"{feature}: expected {len(header)} cells, the last of them of column 'test', but got {len(cells)} cells"
            continue
        ours, test = cells[-2:]
        yield from check_names(feature, test, tests, lambda name: True)
        has_above = "`" in test or (test.startswith("the same") and has_above)
        if not has_above and not re.match(r"(N|not)\b", ours):
            yield f"{feature}: no test, but we say: {ours}"


def main():
    root = pathlib.Path(sys.argv[1])
    cases, _, features = (root / "docs/Conformance.md").read_text().partition("\n## Features\n")
    tests = Tests(root)
    rows = list(rows_of(features))
    errors = [*check_cases(cases, tests), *check_features(rows, tests)]
    if not rows:
        errors.append("expected rows of features in docs/Conformance.md, but found none")
    print("\n".join(errors) or f"{len(CASES)} cases have a test or a reason, {len(rows)} features a test or a no")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
