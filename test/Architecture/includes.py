"""Fails on an include that runs against the arrows of rooms.py."""
import pathlib
import re
import sys

import rooms

INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]', re.M)
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".td", ".cu", ".cuh"}
# Registration of everything is for tools; it stands above all rooms.
UMBRELLAS = {"include/mpc/InitAll.h", "lib/Pipelines/InitAll.cpp"}


def foreign_error(room, name):
    """Why the project-external include `name` is wrong in `room`, or None."""
    head = name.split("/")[0]
    if room in rooms.RUNTIME and head in ("mlir", "llvm", "llvm-c", "mlir-c"):
        return "the runtime wing does not know LLVM"
    if room in rooms.COMPILER and (re.match(r"cu(da|blas|dnn)", head) or head == "nccl.h"):
        return "the compiler wing does not know CUDA"
    return None


def check(root, path):
    relative = path.relative_to(root).as_posix()
    if relative in UMBRELLAS:
        return
    room = rooms.room_of(relative)
    if room is None:
        yield f"{relative}: no room in rooms.py; give it one"
        return
    for name in INCLUDE.findall(path.read_text()):
        target = rooms.room_of(name) if name.startswith(("mpc/", "mpc-c/", "kernels/")) else None
        if target and target not in rooms.allowed(room):
            yield f"{relative}: includes {name}: arrow {room} -> {target} is not allowed"
        error = foreign_error(room, name)
        if error:
            yield f"{relative}: includes {name}: {error}"


def floors():
    """The table itself: rooms only name rooms above them."""
    seen = set()
    for room, others in rooms.ROOMS.items():
        for other in others:
            if not other.startswith("*") and other not in seen:
                yield f"rooms.py: {room} names {other}, which stands below it"
        seen.add(room)


def main():
    root = pathlib.Path(sys.argv[1])
    errors = list(floors())
    for folder in ("include", "lib", "tools", "kernels"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                errors += check(root, path)
    print("\n".join(errors) or "all includes follow the arrows")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
