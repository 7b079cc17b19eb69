"""Checks the manual page and the completion of tools against their --help.

Every option that --help lists is on the page, which man can show without a
warning, and is completed; so are words, files and folders.
"""
import pathlib
import re
import subprocess
import sys

# Of files that may be the argument.
ENDINGS = {"mpc-run": [".mpcx"], "mpc-compile": [".mlir", ".mlirbc", ".mpcx"], "mpc-opt": [".mlir", ".mlirbc"]}


def run(*command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd).stdout


def options_of(help_text):
    """Name and metavar of each option: the lines that are indented by two."""
    return re.findall(r"^  (--?[a-z][\w-]*)(?:(?: |=)(?:<)?([^\s>]+)>?)?(?:\s|$)", help_text, re.M)


def commands_of(tool):
    listed = re.search(r"^commands:\n((?:  \w+ .*\n)+)", run(tool, "--help"), re.M)
    return [line.split()[0] for line in listed[1].splitlines() if line.split()[0] != "help"] if listed else []


def complete(script, tool, words, cwd):
    """What bash offers for the last of `words`."""
    # As bash cuts a line: '=' is a word of its own.
    cut = [part for word in words for part in re.findall(r"=|[^=]+", word)] if words[-1] else words
    program = (f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
               f'$(complete -p {tool} | sed "s/.*-F \\([^ ]*\\).*/\\1/"); printf "%s\\n" "${{COMPREPLY[@]}}"')
    return run("bash", "-c", program, "bash", tool, *cut, cwd=cwd).split()


def check_page(tool, folder, names):
    page = folder / f"{tool}.1"
    page.write_text(run(tool, "--help=man"))
    shown = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True)
    assert not shown.stderr, shown.stderr
    text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", shown.stdout).replace("‐", "-").replace("−", "-")
    for name in names:
        assert re.search(rf"^\s+{name}\b", text, re.M), f"{tool}: no {name} on the page"


def check_completion(tool, folder, command, listed):
    files = [path.name for path in folder.glob("file.*")]
    script = folder / f"{tool}.bash"
    script.write_text(run(tool, "--help=bash"))
    subprocess.run(["bash", "-n", script], check=True)
    start = [command] if command else ["m.mlir"]
    offered = complete(script, tool, start + ["-"], folder)
    # A checkpoint may have any name, or be a folder.
    fitting = [".jsonl"] if command == "plot" else ENDINGS[tool]
    if command == "export":
        fitting = [path.suffix for path in folder.glob("file.*")]
    # link takes options alone.
    fitting = [] if command == "link" else ["fi-folder"] + ["file" + ending for ending in fitting]
    assert sorted(complete(script, tool, ([command] if command else []) + ["fi"], folder)) == sorted(fitting)
    for name, metavar in listed:
        assert name in offered, f"{tool} {command}: {name} is not completed"
        if not metavar:  # a flag: no value, but more options
            assert complete(script, tool, start + [name, "-"], folder) == offered, f"{tool} {command}: after {name}"
        if re.fullmatch(r"[a-z0-9_|-]+", metavar) and "|" in metavar:  # not STEPS|TIME
            words = metavar.split("|")
            assert complete(script, tool, start + [name, ""], folder) == words
            assert complete(script, tool, start + [f"{name}={words[-1][:1]}"], folder) == \
                [word for word in words if word.startswith(words[-1][0])]
        if metavar == "FILE":
            assert sorted(complete(script, tool, start + [name, "fi"], folder)) == sorted(["fi-folder"] + files)
            assert sorted(complete(script, tool, start + [f"{name}=fil"], folder)) == sorted(files)
        if metavar == "FOLDER":
            assert complete(script, tool, start + [name, "fi"], folder) == ["fi-folder"]


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "fi-folder").mkdir()
    for ending in ("npy", "jsonl", "mlir", "mlirbc", "mpcx"):
        (folder / f"file.{ending}").touch()
    for tool in sys.argv[2:]:
        commands = commands_of(tool)
        names = set()
        for command in commands or [""]:
            listed = [(name, metavar) for name, metavar in options_of(run(tool, *filter(None, [command]), "--help"))
                      if name not in ("-h", "--help", "--version")]
            if tool == "mpc-opt":  # LLVM's help: passes are no options of ours
                listed = [row for row in listed if f"\\fB{row[0]}\\fR".replace("-", "\\-") in run(tool, "--help=man")]
            assert listed, f"{tool} {command}: --help lists nothing"
            names |= {name for name, _ in listed}
            check_completion(tool, folder, command, listed)
        if commands:
            assert complete(folder / f"{tool}.bash", tool, [""], folder) == commands + ["help"]
        check_page(tool, folder, names)
        print(f"{tool}: {len(names)} options")


main()
