"""The records of a step, one on a line, without names: kernels by the bytes that they read and write.

usage: step-records.py EXEC.mlir
"""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
kernels = {name: f"reads {read} writes {written}"
           for name, read, written in re.findall(r"exec\.kernel @(\w+) .*?reads = (\d+) writes = (\d+)", text)}
step = text[text.index("exec.entry @step"):]
for line in step[:step.index("\n  }")].splitlines():
    line = line.strip()
    if match := re.match(r"exec\.launch @(\w+)", line):
        print("kernel", kernels[match[1]])
    elif match := re.match(r"exec\.(call|multi_tensor|copy|fill)\b\s*(#exec\.)?(\w*)(.*)", line):
        kind, _, what, rest = match.groups()
        shapes = re.findall(r"memref<([^,>]*?)x?(?:f16|bf16|f32|i32|i1)\b", rest)
        print(kind, what if kind in ("call", "multi_tensor") else "", *shapes[-2:])
