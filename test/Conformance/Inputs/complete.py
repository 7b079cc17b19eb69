"""Fails when a case of the conformance list has neither a test of its number nor a reason why it has none.

    complete.py SOURCE_DIR

A test is a lit file <case>-*.mlir or .test under test/Conformance, or a GoogleTest case <case>_* or <case>.*. The
table of docs/Conformance.md has one row per case; its last cell names the test, or says why the case cannot apply. Tests
that it names, in backticks, must be there.
"""
import pathlib
import re
import sys

CASES = [f"{letter}{number}" for letter, count in (("A", 20), ("B", 18), ("C", 9), ("D", 23))
         for number in range(1, count + 1)] + ["E1", "E2", "E8"]
ROW = re.compile(r"^\| ([A-E]\d+) \| ([^|]+) \| ?(.*?) ?\|$", re.M)


def tests_of(root):
    """The names of the tests of each case."""
    tests = {}
    for path in (root / "test/Conformance").rglob("*-*"):
        match = re.match(r"([A-E]\d+)[-.].*\.(mlir|test)$", path.name)
        if match:
            tests.setdefault(match[1], set()).add(path.name)
    for path in (root / "test").rglob("*.cpp"):
        for suite, name in re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", path.read_text(), re.M):
            if re.fullmatch(r"[A-E]\d+", suite):
                tests.setdefault(suite, set()).add(f"{suite}.{name}")
            elif match := re.match(r"([A-E]\d+)_", name):
                tests.setdefault(match[1], set()).add(name)
    return tests


def check(root):
    text = (root / "docs/Conformance.md").read_text()
    rows = {number: cell.strip() for number, _, cell in ROW.findall(text)}
    tests = tests_of(root)
    names = {path.name for path in (root / "test").rglob("*") if path.is_file()}
    names |= {name for group in tests.values() for name in group}
    for case in CASES:
        if case not in rows:
            yield f"{case}: no row in docs/Conformance.md"
            continue
        for name in re.findall(r"`((?:[\w-]+/)*[\w.-]+\.(?:mlir|test|cpp|py)|[A-E]\d+[_.]\w+)`", rows[case]):
            if name.rsplit("/", 1)[-1] not in names:
                yield f"{case}: the test {name} is not there"
        if not rows[case]:
            yield f"{case}: neither the name of a test nor a reason"
        elif case not in tests and not re.search(r"[a-z]{2,} [a-z]{2,}", re.sub(r"`[^`]*`", "", rows[case])):
            yield f"{case}: no test of this number, and no reason"
    for case in sorted(set(tests) - set(CASES)):
        yield f"{case}: tested, but not in the list"


def main():
    errors = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(errors) or f"{len(CASES)} cases have a test or a reason")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
