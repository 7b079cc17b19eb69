"""Fails if a file, a function or a folder outgrew its room, a file says what a
repository should not, or the root holds what belongs into a folder or nowhere.

OVER lists the folders that are still too large, with their files: the number
falls with every one that moves out, and never rises.
"""
import collections
import pathlib
import re
import subprocess
import sys

FOLDERS = ("bench", "cmake", "docs", "examples", "include", "kernels", "lib", "python", "scripts", "test", "tools")
LINES = {".cpp": 500, ".cu": 500, ".h": 350, ".hpp": 350, ".td": 400, ".py": 400, ".mlir": 500}
FUNCTION = 60
FILES = 16  # of sources that one folder of these may hold; a header and its source are one
ROOT = {".clang-format", ".clang-tidy", ".editorconfig", ".gitignore", "CHANGELOG.md", "CMakeLists.txt",
        "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"}
ROOMS = ("bench", "include", "kernels", "lib", "python", "tools")
OVER: dict[str, int] = {}
WORDS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|/(root|home|work|tmp)/\w")
# What opens a block at the margin and is no function.
NO_FUNCTION = re.compile(r"^(namespace|class|struct|enum|union|extern|template <[^()]*> (class|struct)|using)\b|=[^()]*\{$")


def sources(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (root / name).is_file()]
    files = (path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file())
    return [path.relative_to(root).as_posix() for path in files if "__pycache__" not in path.parts]


def functions(lines):
    """(first line, number of lines) of each function at the margin of a formatted source."""
    start = head = None  # head: the last line that began at the margin
    for number, line in enumerate(lines, 1):
        if line and not line.startswith((" ", "}", "#", "//")):
            head = number
        if line.startswith("}") and start:
            if not NO_FUNCTION.search(lines[start - 1]):
                yield start, number - start + 1
            start = None
        elif not start and head and line.endswith("{") and (head == number or line.startswith("    ")):
            start = head


def check_file(name, lines):
    suffix = pathlib.Path(name).suffix
    if len(lines) > LINES[suffix]:
        yield f"{name}: {len(lines)} lines, limit {LINES[suffix]}: is it one room, or two?"
    for number, line in enumerate(lines, 1):
        if WORDS.search(line):
            yield f"{name}:{number}: does not belong in the repository: {line.strip()[:80]}"
    if suffix in (".cpp", ".cu") and not name.startswith("test/"):
        for first, length in functions(lines):
            if length > FUNCTION:
                yield f"{name}:{first}: a function of {length} lines, limit {FUNCTION}"


def check_folders(names):
    stems = collections.defaultdict(set)
    for name in names:
        path = pathlib.Path(name)
        if path.parts[0] in ROOMS and path.suffix in LINES:
            stems[path.parent.as_posix()].add(path.stem)
    for folder in sorted(set(stems) | set(OVER)):
        count, limit = len(stems[folder]), OVER.get(folder, FILES)
        if count > limit:
            yield f"{folder}: {count} files, limit {limit}: which of them are a room of their own?"
        elif folder in OVER and count < limit:
            yield f"{folder}: {count} files now: lower its number in budgets.py, or strike it out"


def check_root(names):
    for name in names:
        if "/" not in name and name not in ROOT:
            yield f"{name}: not expected at the root: move it, remove it, or list it in budgets.py"


def main():
    root = pathlib.Path(sys.argv[1])
    names = sources(root)
    checked = [name for name in names if pathlib.Path(name).suffix in LINES]
    if len(checked) < 500:
        sys.exit(f"expected the sources of the project in {root}, but found {len(checked)}")
    errors = [*check_folders(names), *check_root(names)]
    for name in checked:
        if name != "test/Architecture/budgets.py":
            errors += check_file(name, (root / name).read_text().splitlines())
    print("\n".join(errors) or "all files are within budget")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
