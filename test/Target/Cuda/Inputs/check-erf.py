"""Computes a kernel of one f32 number as its PTX says, instruction by instruction, and compares with erf.

    check-erf.py FILE.ptx BOUND INSTRUCTIONS

Powers of two are correctly rounded here; the hardware's are off by two units more, 1.2e-7 of a number below 1.
"""
import ctypes
import math
import pathlib
import re
import struct
import sys


def f32(number):
    return ctypes.c_float(number).value


def power(number):
    return 0.0 if number < -1e4 else 2.0 ** number


# Numbers are exact in f64, or rounded there first, which changes no bound.
OPERATIONS = {
    "abs.f32": abs, "mul.rn.f32": lambda x, y: x * y, "add.rn.f32": lambda x, y: x + y,
    "sub.rn.f32": lambda x, y: x - y, "neg.f32": lambda x: -x, "fma.rn.f32": lambda x, y, z: x * y + z,
    "ex2.approx.ftz.f32": power,
    # The sign is the first operand's.
    "copysign.f32": lambda sign, size: math.copysign(size, sign),
}


def parse(text):
    """Operations with the names of their results and operands, and the register of what is loaded and stored."""
    steps, loaded, constants = [], None, {}
    for name, words in re.findall(r"^\s+([\w.:]+)\s+(.*);", text, re.MULTILINE):
        words = [word.strip(" []") for word in words.split(",")]
        if name.startswith("ld.global"):
            loaded = words[0]
        elif name.startswith("st.global"):
            return steps, loaded, words[1]
        elif name == "mov.b32":
            constants[words[0]] = words[1]
        elif name in OPERATIONS:
            words = [constants.get(word, word) for word in words]
            steps.append((OPERATIONS[name], words[0], words[1:]))
        elif ".f32" in name:
            sys.exit(f"{name} is not known")
    sys.exit("nothing is stored")


def run(program, number):
    steps, loaded, stored = program
    registers = {loaded: number}

    def value(word):
        return struct.unpack(">f", bytes.fromhex(word[2:]))[0] if word.startswith("0f") else registers[word]

    for operation, result, words in steps:
        registers[result] = f32(operation(*map(value, words)))
    return registers[stored]


def main():
    program = parse(pathlib.Path(sys.argv[1]).read_text())
    bound, most, count = float(sys.argv[2]), int(sys.argv[3]), len(program[0])
    numbers = [f32(12 * n / 40000) for n in range(40001)] + [f32(10.0 ** (n / 20)) for n in range(-760, 761)]
    error = 0
    for number in numbers:
        result = run(program, number)
        error = max(error, abs(result - math.erf(number)))
        if run(program, -number) != -result:
            sys.exit(f"expected an odd function, but not at {number}")
    print(f"off by {error:.3g}, {count} instructions")
    if not error <= bound:
        sys.exit(f"expected to be off by at most {bound:g}, but got {error:g}")
    special = [run(program, number) for number in (math.nan, math.inf, -math.inf)]
    if not (math.isnan(special[0]) and special[1:] == [1, -1]):
        sys.exit(f"expected NaN, 1 and -1, but got {special}")
    if count > most:
        sys.exit(f"expected at most {most} instructions, but got {count}")


if __name__ == "__main__":
    main()
