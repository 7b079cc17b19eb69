"""Runs a page as its reader would, from top to bottom, in one folder.

usage: session.py PAGE FOLDER [HEADING]

With HEADING only the blocks of sh and text that stand below that, up to the next heading.

Every fenced block of the page is one of these:
  a block whose first line is a comment that is nothing but a file's name, as in `# make_data.py`: is written to that file;
  ```sh     runs, and must succeed;
  ```text   is what the last ```sh printed: its lines stand there in this order, `...` stands for anything, and as many
            spaces as one likes for one.
"""
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"\A(?://|#) ([\w-]+(?:\.\w+)+)\n")


def missing_line(expected, printed):
    """The first line of `expected` that is not in `printed`, after those before it."""
    lines = iter(printed.splitlines())
    for wanted in expected.splitlines():
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in wanted.split("..."))
        if wanted.strip() != "..." and not any(re.fullmatch(pattern, " ".join(line.split())) for line in lines):
            return wanted
    return None


def run_block(kind, block, folder, printed):
    """Does what a block asks for; returns what was printed, and what is wrong or None."""
    if name := FILE.match(block):
        (folder / name[1]).write_text(block)
        return printed, None
    if kind == "sh":
        # The reader's python3 has NumPy; so has the one that runs this.
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, text=True,
                              env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout, f"ended with {done.returncode}\n{block}{done.stdout}" if done.returncode else None
    if kind == "text":
        missing = missing_line(block, printed)
        return printed, missing and f"expected the line\n{missing}\nbut got\n{printed}"
    return printed, f"expected a file, sh or text, but got a block of kind '{kind}'"


def find_section(text, heading):
    """Where the section begins and ends."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    if not found:
        sys.exit(f"expected a heading '{heading}'")
    return found.span(1)


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text, printed, count = page.read_text(), "", 0
    begin, end = find_section(text, sys.argv[3]) if len(sys.argv) > 3 else (0, len(text))
    for match in BLOCK.finditer(text, begin, end):
        if len(sys.argv) > 3 and match[1] not in ("sh", "text"):
            continue
        printed, error = run_block(match[1], match[2], folder, printed)
        count += 1
        if error:
            sys.exit(f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}: {error}")
    print(f"{count} blocks done")


if __name__ == "__main__":
    main()
