"""Fails unless headers have grown as they promise: every struct of the old ones begins as it did, and each number of
an enum is what it was.

    compare.py COMPILER OLD NEW HEADER...

COMPILER is a Clang; OLD and NEW are include folders, HEADER a name in both.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def layouts(compiler, folder, header):
    """Of each struct its fields: "offset | type name"."""
    text = run(compiler, "-x", "c", "-std=c11", "-I", folder, "-fsyntax-only", "-Xclang",
               "-fdump-record-layouts-complete", "-", input=f'#include "{header}"\n')
    text = re.sub(r"\(unnamed at [^)]*\)", "(unnamed)", text)  # its fields are shown in the struct around it
    result = {}
    for block in text.split("*** Dumping AST Record Layout")[1:]:
        lines = [line.rstrip() for line in block.splitlines() if "|" in line]
        name = lines[0].split("|")[1].strip()
        fields = [" ".join(line.split()) for line in lines[1:] if "sizeof=" not in line]
        if name.startswith("struct mpc_") and "(unnamed)" not in name:
            result[name] = fields
    return result


def numbers(compiler, folder, header):
    """Of each enumerator and number in a #define its value."""
    text = (pathlib.Path(folder) / header).read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = re.findall(r"^#define (MPC_\w+) \d+u?$", text, re.M)
    for body in re.findall(r"typedef enum \w+ MPC_INT \{(.*?)\}", text, re.S):
        names += re.findall(r"\b(MPC_\w+)\b", body)
    if not names:
        return {}
    prints = "".join(f'printf("%s %ld\\n", "{name}", (long){name});' for name in names)
    source = f'#include "{header}"\n#include <stdio.h>\nint main(void) {{ {prints} }}\n'
    with tempfile.TemporaryDirectory() as temporary:
        program = pathlib.Path(temporary) / "numbers"
        run(compiler, "-x", "c", "-std=c11", "-I", folder, "-o", program, "-", input=source)
        return dict(line.split() for line in run(program).splitlines())


def compare(compiler, old, new, header):
    before, after = layouts(compiler, old, header), layouts(compiler, new, header)
    if not before:
        yield f"{header}: expected structs in the old header, but found none"
    for name, fields in before.items():
        found = after.get(name)
        if found is None:
            yield f"{header}: {name} is gone"
        for i, field in enumerate(fields if found is not None else []):
            if i >= len(found) or found[i] != field:
                yield f"{header}: {name}: expected '{field}', but got '{found[i] if i < len(found) else 'its end'}'"
                break
    after = numbers(compiler, new, header)
    for name, value in numbers(compiler, old, header).items():
        if after.get(name) != value:
            yield f"{header}: {name}: expected {value}, but got {after.get(name)}"


def main():
    compiler, old, new, *headers = sys.argv[1:]
    errors = [error for header in headers for error in compare(compiler, old, new, header)]
    print("\n".join(errors) or f"{len(headers)} headers have kept what they had")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
