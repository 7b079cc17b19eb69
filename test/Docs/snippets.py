"""Runs the snippets of the written pages, and checks what they quote.

A fenced block ```mlir whose first lines are `// RUN: ...` is a lit test: each
line runs with %s standing for the block and must succeed. A fenced block whose
first line is a comment that names a file of the repository, as in
`// lib/Dialect/Graph/Bodies/Elementwise.cpp`, quotes it: the rest of the block
must stand in that file as it is.
"""
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.M | re.S)
RUN = re.compile(r"^// RUN: (.*)$", re.M)
QUOTE = re.compile(r"\A(?://|#) ((?:[\w.-]+/)+[\w.-]+)\n")


def failures_of_run(block, folder, place):
    file = folder / (re.sub(r"\W+", "-", place) + ".mlir")
    file.write_text(block)
    for command in RUN.findall(block):
        command = command.replace("%s", str(file)).replace("%t", str(file) + ".tmp")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
        if done.returncode:
            yield f"{place}: {command}\n{done.stdout}{done.stderr}"


def failures_of_quote(name, quoted, source, place):
    file = source / name
    if not file.exists():
        yield f"{place}: quotes {name}, which does not exist"
    elif quoted.strip("\n") not in file.read_text():
        yield f"{place}: expected {name} to contain\n{quoted}"


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    errors, run, quoted = [], 0, 0
    for page in [source / "README.md", *sorted((source / "docs").rglob("*.md"))]:
        if page.name in ("Ops.md", "Settings.md", "Exec.md", "Passes.md"):
            continue  # generated; their examples are tested at the records
        text = page.read_text()
        for match in BLOCK.finditer(text):
            place = f"{page.relative_to(source)}:{text.count(chr(10), 0, match.start()) + 1}"
            block = match[2]
            if match[1] == "mlir" and block.startswith("// RUN: "):
                run += 1
                errors += failures_of_run(block, folder, place)
            elif quote := QUOTE.match(block):
                quoted += 1
                errors += failures_of_quote(quote[1], block[quote.end():], source, place)
    print("\n".join(errors))
    print(f"{run} snippets run, {quoted} quotes checked, {len(errors)} failures")
    sys.exit(1 if errors or not run or not quoted else 0)


if __name__ == "__main__":
    main()
