"""Fails if clang-format would change a file."""
import pathlib
import subprocess
import sys

SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".cu"}


def main():
    root, formatter = pathlib.Path(sys.argv[1]), sys.argv[2]
    rooms = ["include", "lib", "tools", "test", "bench", "examples", "kernels", "python"]
    files = [path for room in rooms for path in (root / room).rglob("*") if path.suffix in SUFFIXES]
    if not files:
        print(f"no source files below {root}")
        return 1
    command = [formatter, "--dry-run", "--Werror", *files]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
