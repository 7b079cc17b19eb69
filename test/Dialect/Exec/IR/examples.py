"""Prints the examples of docs/Exec.md, one module each; fails if an op of the
page has no summary or no example of its own."""
import pathlib
import re
import sys


def main():
    page = pathlib.Path(sys.argv[1]).read_text()
    parts = re.split(r"^### (.*)$", page, flags=re.M)
    errors, examples = [], []
    for name, text in zip(parts[1::2], parts[2::2]):
        blocks = re.findall(r"^```mlir\n(.*?)^```", text, re.M | re.S)
        examples += blocks
        if not name.startswith("`exec."):  # an attribute, which needs none
            continue
        if len(blocks) != 1 or name.strip("`") not in blocks[0]:
            errors.append(f"{name} has no example of its own")
        if not re.match(r"\s*_.+_\n", text):
            errors.append(f"{name} has no summary")
    if errors or len(examples) < 14:
        sys.exit("\n".join(errors) or f"expected 14 ops or more, but got {len(examples)}")
    print("// -----\n".join(examples))


if __name__ == "__main__":
    main()
