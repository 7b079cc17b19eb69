"""Prints the examples of all op records as one module, each in a function.

Fails if a record lacks its summary, meaning, formula line, constraints C1..Cn
or example. Values that an example uses but does not define become arguments;
their types are those that the op spells out after its last colon.
"""
import pathlib
import re
import shutil
import subprocess
import sys

# What the example of graph.custom calls.
IMPLEMENTATION = """func.func private @example(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
return %x : tensor<4x8xf32>
}"""

VALUE = re.compile(r"%[A-Za-z_]\w*")


def generated_doc(source):
    tblgen = shutil.which("mlir-tblgen")
    include = pathlib.Path(tblgen).resolve().parent.parent / "include"
    ops = source / "include/mpc/Dialect/Graph/IR/Ops/AllOps.td"
    command = [tblgen, "-gen-op-doc", f"-I{source}/include", f"-I{include}", str(ops)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sections(doc):
    """(mnemonic, text) of each op."""
    parts = re.split(r"^### `(graph\.\w+)` .*$", doc, flags=re.M)
    return zip(parts[1::2], parts[2::2])


def complaints(name, text):
    summary = re.search(r"^_(.+)_$", text, re.M)
    if not summary:
        yield "has no summary"
    elif len(summary[1]) > 75 or summary[1].endswith("."):
        yield f"has a summary that is long or a sentence: {summary[1]}"
    body = re.split(r"^```\n", text, maxsplit=2, flags=re.M)[-1]  # after the syntax
    if not re.match(r"\s*[A-Z](?:.|\n)*?\.\s", body):
        yield "has no meaning: sentences that say what it does"
    if not re.search(r"^`.* = .*`$", body, re.M):
        yield "has no formula: one line in backquotes"
    labels = [int(n) for n in re.findall(r"^- C(\d+): \S", body, re.M)]
    if labels != list(range(1, len(labels) + 1)) or not labels:
        yield f"has no constraints C1..Cn, but {labels}"
    blocks = re.findall(r"^```mlir\n(.*?)^```", body, re.M | re.S)
    if len(blocks) != 1 or name not in blocks[0]:
        yield "has no mlir example of its own"


def split_types(text):
    """The types of "(a, b)" or "a, b"."""
    text = text.strip()
    if text.startswith("("):
        text = text[1 : text.rindex(")")]
    return [t.strip() for t in text.split(",") if t.strip()]


def free_values(block):
    """(value, type) of the values that the ops of `block` take from outside;
    of an op with a region those that it takes itself."""
    if "graph.autocast_region" in block:
        return [("%x", "tensor<4x8xf32>")]
    lines = block.splitlines()
    if "{\n" not in block and all(" = graph." in line for line in lines):
        defined = {value for line in lines for value in VALUE.findall(line.split(" = ", 1)[0])}
        return [use for line in lines for use in operands_of(line) if use[0] not in defined]
    return operands_of(block)


def operands_of(block):
    """(value, type) of the operands of the first op of `block`."""
    head = block.split("{\n")[0] if "graph.group" in block else block
    operation = head.split(" = ", 1)[1] if head.startswith("%") else head
    operands, _, types = operation.rpartition(" : ")
    while operands.count("{") != operands.count("}"):  # a colon within attributes
        operands, _, rest = operands.rpartition(" : ")
        types = rest + " : " + types
    types = types.split("->")[0]
    return list(zip(VALUE.findall(operands), split_types(types)))


def main():
    errors, functions = [], []
    for name, text in sections(generated_doc(pathlib.Path(sys.argv[1]))):
        found = list(complaints(name, text))
        errors += [f"{name} {what}" for what in found]
        if found:
            continue
        block = re.search(r"^```mlir\n(.*?)^```", text, re.M | re.S)[1]
        arguments = ", ".join(f"{value}: {type}" for value, type in dict(free_values(block)).items())
        functions.append(f"func.func @{name.replace('.', '_')}({arguments}) {{\n{block}return\n}}\n")
    if errors or len(functions) < 40:
        sys.exit("\n".join(errors) or f"expected 40 ops or more, but got {len(functions)}")
    print("\n".join(functions) + IMPLEMENTATION)


if __name__ == "__main__":
    main()
