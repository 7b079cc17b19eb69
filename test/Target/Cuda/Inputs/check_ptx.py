"""Checks the PTX of compiled programs as ptxas sees it.

    check_ptx.py PTXAS FOLDER [--registers=N]

For every .ptx file below FOLDER: nothing in local memory, no approximate
division, root, logarithm or tanh, no flushing of subnormals outside of
libdevice's own steps, nothing that ptxas may fuse; and of `ptxas -v`: no spills, no stack, at most N registers per thread. Prints one line
per kernel.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FORBIDDEN = [
    (r"\.local\b", "local memory"),
    (r"\b(div|sqrt|rsqrt|tanh|lg2|sin|cos)\.approx", "an approximation"),
    (r"\b(div|rcp)\.full", "an approximation"),
    (r"\b(add|sub|mul|div|sqrt|min|max|setp\.\w+|cvt(\.\w+)*)\.ftz", "flushed subnormals"),
    (r"\b(mul|add|sub|mad)\.f(32|64)\b", "an operation that ptxas may fuse"),
    (r"\.extern \.func", "an unresolved function"),
]
REGISTERS = 128


def text_errors(text):
    for pattern, what in FORBIDDEN:
        found = re.search(pattern, text)
        if found:
            line = text[text.rfind("\n", 0, found.start()) + 1:].split("\n", 1)[0]
            yield f"{what}: {line.strip()}"


def assemble(ptxas, path, arch):
    """What `ptxas -v` says of each kernel: {name: (registers, spills, stack)}."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.run(
            [ptxas, "-v", "--fmad=false", f"-arch={arch}", path, "-o", folder + "/out.cubin"],
            capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{path}: {process.stderr}")
    kernels = {}
    for part in process.stderr.split("Compiling entry function '")[1:]:
        name = part.split("'", 1)[0]
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        stack, stores, loads = map(int, re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
            part).groups())
        kernels[name] = (registers, stores + loads, stack)
    return kernels


def check(ptxas, path, budget):
    text = path.read_text()
    arch = re.search(r"\.target (\w+)", text).group(1)
    errors = list(text_errors(text))
    for name, (registers, spills, stack) in assemble(ptxas, path, arch).items():
        print(f"{arch:7} {name:26} {registers:4} registers {spills:4} spilled {stack:4} stack")
        if spills or stack:
            errors.append(f"{name}: {spills} bytes spilled, {stack} bytes of stack")
        if registers > budget:
            errors.append(f"{name}: {registers} registers, expected at most {budget}")
    return [f"{path.name}: {error}" for error in errors]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxas")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--registers", type=int, default=REGISTERS)
    options = parser.parse_args()
    files = sorted(options.folder.rglob("*.ptx"))
    if not files:
        sys.exit(f"no .ptx file below {options.folder}")
    errors = [e for path in files for e in check(options.ptxas, path, options.registers)]
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
