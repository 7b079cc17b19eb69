"""Fails on an include that runs against the arrows of rooms.py."""
import pathlib
import re
import sys

import rooms

INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]', re.M)
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".td", ".cu", ".cuh"}
FOLDERS = ("include", "lib", "tools", "kernels", "bench", "test", "examples", "python")
# Beside include and the root.
SEARCHED = ("lib", "test", "tools/mpc-run", "lib/Runtime", "lib/Target/Cpu", "lib/Target/Cuda", "test/Numerics/Kernels")
# Registration of everything is for tools; it stands above all rooms.
UMBRELLAS = {"include/mpc/InitAll.h", "lib/Pipelines/InitAll.cpp"}


def foreign_error(room, name):
    """Why the project-external include `name` is wrong in `room`, or None."""
    head = name.split("/")[0]
    if not rooms.knows_llvm(room) and head in ("mlir", "llvm", "llvm-c", "mlir-c"):
        return "the runtime wing does not know LLVM"
    if not rooms.knows_cuda(room) and (re.match(r"cu(da|blas|dnn)", head) or head == "nccl.h"):
        return "the compiler wing does not know CUDA"
    return None


def find(root, path, name):
    """The path in the repository of what `path` includes as `name`, as the folders of the compilers' -I have it."""
    for folder in (path.parent, root / "include", root, *(root / folder for folder in SEARCHED)):
        file = (folder / name).resolve()
        if file.is_file() and file.is_relative_to(root):
            return file.relative_to(root).as_posix()
    return name if name.startswith(("mpc/", "mpc-c/")) else None  # Of the project, and generated; or of another.


def include_error(root, path, room, name):
    file = find(root, path, name)
    if not file and re.fullmatch(r"\w+\.(h|hpp|cuh)", name) and f'"{name}"' in path.read_text():
        return "expected it beside the file or in a folder of SEARCHED in includes.py"
    if not file:
        return foreign_error(room, name)
    if file in UMBRELLAS:
        return None if rooms.knows_llvm(room) else "the runtime wing does not know the compiler"
    target = rooms.room_of(file)
    return None if target in rooms.allowed(room) else f"arrow {room} -> {target} is not allowed"


def check(root, path):
    relative = path.relative_to(root).as_posix()
    if relative in UMBRELLAS:
        return
    room = rooms.room_of(relative)
    if room is None:
        yield f"{relative}: no room in rooms.py; give it one"
        return
    for name in INCLUDE.findall(path.read_text()):
        if error := include_error(root, path, room, name):
            yield f"{relative}: includes {name}: {error}"


def floors():
    """The table itself: rooms only name rooms above them."""
    seen = set()
    for room, others in rooms.ROOMS.items():
        for other in others:
            if not other.startswith("*") and other not in seen:
                yield f"rooms.py: {room} names {other}, which stands below it"
        seen.add(room)
    for room, others in rooms.OUTSIDE.items():
        for other in others:
            if not other.startswith("*") and other not in rooms.ROOMS and other not in rooms.OUTSIDE:
                yield f"rooms.py: {room} names {other}, which is no room"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    errors = list(floors())
    for folder in FOLDERS:
        paths = [path for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES]
        if not paths:
            errors.append(f"{folder}: expected sources, but found none")
        for path in paths:
            errors += check(root, path)
    print("\n".join(errors) or "all includes follow the arrows")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
