"""How many instructions the kernels of a compiled program issue, read from their machine code.

A thread of a kernel runs what is in no loop once, and its loops all equally often: as often as it takes until the threads
have moved the bytes that the kernel is said to read and write. It is exact for kernels of one loop, or of several over
one row. What waits in loops for other blocks, and code behind the kernel's end (slow paths), is not counted.

nvdisasm comes with CUDA's toolkit, or alone from PyPI (nvidia-cuda-nvdisasm).
"""
import collections
import pathlib
import re
import subprocess
import tempfile

# Bytes of a global load or store by what its name ends in; 4 if in none of these.
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}

Code = collections.namedtuple("Code", "instructions bytes looped_instructions looped_bytes")


def bytes_of(instruction):
    """That a thread moves between memory and registers or shared memory."""
    if match := re.match(r"(?:@!?U?P\d+ +)?(LDG|STG|LDGSTS)\.(\S+)", instruction):
        return next((WIDTHS[part] for part in match.group(2).rstrip(",").split(".") if part in WIDTHS), 4)
    return 0


def read_code(lines):
    """Of one kernel's disassembly, up to where it ends."""
    instructions, places, backward = [], {}, []
    for line in lines:
        if match := re.match(r"(\.L_\w+):", line):
            places[match.group(1)] = len(instructions)
        elif match := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?)\s*;", line):
            text = match.group(1)
            if (target := re.search(r"BRA(?:\.\w+)* .*`\((\.L_\w+)\)", text)) and target.group(1) in places:
                backward.append((places[target.group(1)], len(instructions)))
            instructions.append(text)
            if text == "EXIT":
                break
    looped = {number for first, last in backward for number in range(first, last + 1)}
    moved = [bytes_of(text) for text in instructions]
    return Code(len(instructions) - len(looped), sum(moved) - sum(moved[number] for number in looped),
                len(looped), sum(moved[number] for number in looped))


def read_kernels(program, dump_code, nvdisasm, target):
    """Of a compiled program: by kernel, its stages as (threads, Code)."""
    stages = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        listing = subprocess.run([dump_code, program, folder], check=True, capture_output=True, text=True).stdout
        codes = {}
        for cubin in pathlib.Path(folder).glob(f"{target}.*.cubin"):
            text = subprocess.run([nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout
            for part in re.split(r"^\.text\.", text, flags=re.MULTILINE)[1:]:
                codes[part[:part.index(":")]] = read_code(part.splitlines()[1:])
    for symbol, grid, block in re.findall(rf"^{target} cubin (\w+) grid (\d+) block (\d+)", listing, re.MULTILINE):
        kernel = re.fullmatch(r"(k_[0-9a-f]+?)(?:_\d+)?", symbol).group(1)
        stages[kernel].append((int(grid) * int(block), codes[symbol]))
    return stages


def count_warp_instructions(stages, moved):
    """That all warps of a kernel issue while it moves so many bytes, most of them in its first stage."""
    total = 0
    for threads, code in stages:
        runs = 0
        if code.looped_bytes:
            runs = max(0, moved / threads - code.bytes) / code.looped_bytes
        elif code.looped_instructions:
            runs = 1
        total += threads / 32 * (code.instructions + runs * code.looped_instructions)
        moved = 0
    return total
