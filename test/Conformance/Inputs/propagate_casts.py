"""C3: ONNX Runtime's graphs for its cast propagation, and the rule for the result.

    propagate_casts.py write             one function per graph
    propagate_casts.py check fused FILE  the same functions behind autocast and mpc-fold-casts

Each graph is a product and a sum, y = (A @ B) + C, where an earlier pass has put casts: A, B or C come in f16 and are
widened (a, b, c), the product is rounded to f16 and widened again (p), the sum is rounded and returned as f16 (s); with
no transpose, one on each operand of the product, or one on the product. That is ORT's testdata/transform/propagate_cast
(casts at inputs, second input, product and sum, with transposes), all combinations: 2^5 * 3 = 96 graphs.

The rule: the product and everything that only moves its operands or result run in f16; a cast back to back with another
is gone, where that loses no rounding or excess precision is allowed; no value is cast twice to one type; and no cast is
left but those of values that enter the product or the sum, or leave, in another type than they have.
"""
import itertools
import re
import sys

M, K, N = 8, 16, 4
LETTERS = "abcps"
TRANSPOSES = ("none", "operands", "product")


def tensor(rows, columns, element):
    return f"tensor<{rows}x{columns}x{element}>"


def graphs():
    for bits in itertools.product((False, True), repeat=len(LETTERS)):
        for transpose in TRANSPOSES:
            yield {letter for letter, bit in zip(LETTERS, bits) if bit}, transpose


def name_of(casts, transpose):
    return "g_" + ("".join(sorted(casts)) or "plain") + "_" + transpose


class Writer:
    """Ops of one function; values are (name, rows, columns, element)."""

    def __init__(self):
        self.lines, self.count = [], 0

    def op(self, text, rows, columns, element):
        self.count += 1
        name = f"%{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name, rows, columns, element

    def cast(self, value, element):
        name, rows, columns, source = value
        return self.op(f'graph.cast {name} because "an earlier pass" : ({tensor(rows, columns, source)}) -> '
                       f"{tensor(rows, columns, element)}", rows, columns, element)

    def transpose(self, value):
        name, rows, columns, element = value
        return self.op(f"graph.transpose {name} permutation = [1, 0] : ({tensor(rows, columns, element)}) -> "
                       f"{tensor(columns, rows, element)}", columns, rows, element)

    def binary(self, what, left, right, rows, columns):
        types = ", ".join(tensor(*value[1:]) for value in (left, right))
        return self.op(f"graph.{what} {left[0]}, {right[0]} : ({types}) -> {tensor(rows, columns, 'f32')}",
                       rows, columns, "f32")


def write(casts, transpose):
    writer = Writer()
    shapes = {"a": (K, M) if transpose == "operands" else (M, K),
              "b": (N, K) if transpose == "operands" else (K, N),
              "c": (N, M) if transpose == "product" else (M, N)}
    arguments, values = [], {}
    for letter, shape in shapes.items():
        element = "f16" if letter in casts else "f32"
        arguments.append(f'%{letter}: {tensor(*shape, element)} {{graph.input = "{letter}"}}')
        value = f"%{letter}", *shape, element
        values[letter] = writer.cast(value, "f32") if letter in casts else value
    a, b = values["a"], values["b"]
    if transpose == "operands":
        a, b = writer.transpose(a), writer.transpose(b)
    product = writer.binary("matmul", a, b, M, N)
    if "p" in casts:
        product = writer.cast(writer.cast(product, "f16"), "f32")
    if transpose == "product":
        product = writer.transpose(product)
    total = writer.binary("add", product, values["c"], *product[1:3])
    if "s" in casts:
        total = writer.cast(total, "f16")
    result = tensor(*total[1:])
    print(f"func.func @{name_of(casts, transpose)}({', '.join(arguments)}) -> ({result} {{graph.output = \"y\"}}) {{")
    print("\n".join(writer.lines))
    print(f"  return {total[0]} : {result}\n}}")


def check(casts, transpose, body, fused):
    """What is wrong with a result, if anything."""
    made = {}
    for line in body:
        match = re.match(r"\s*(%\w+) = (graph\.\w+) (.*)", line)
        if match:
            made[match[1]] = match[2], re.findall(r"%\w+", match[3]), re.search(r"(b?f\d+)>$", line)[1], line
    casts_left = {result: op for result, op in made.items() if op[0] == "graph.cast"}
    for result, (what, operands, element, line) in made.items():
        if what in ("graph.matmul", "graph.transpose") and element != "f16":
            yield f"{what} runs in {element}"
        inner = made.get(operands[0])
        if what == "graph.cast" and inner and inner[0] == "graph.cast" and (fused or "f16>) ->" in inner[3]):
            yield f"casts back to back: {line.strip()}"
    seen = [(op[1][0], op[2]) for op in casts_left.values()]
    if len(seen) != len(set(seen)):
        yield "one value is cast twice to one type"
    # In f32, the sum widens the product and C, and its result is rounded to be returned as f16.
    wide_sum = next(op[2] for op in made.values() if op[0] == "graph.add") == "f32"
    needed = sum(letter not in casts for letter in "ab") + (
        1 + ("c" in casts) + ("s" in casts) if wide_sum else ("c" not in casts) + ("s" not in casts))
    # In strict, the rounding after the product stays where it is on purpose.
    if len(casts_left) > needed + (not fused and "p" in casts):
        yield f"{len(casts_left)} casts, but {needed} are needed"


def main():
    if sys.argv[1] == "write":
        for casts, transpose in graphs():
            write(casts, transpose)
        return 0
    functions = {}
    for line in open(sys.argv[3]):
        match = re.match(r"\s*func\.func @(\w+)", line)
        if match:
            body = functions.setdefault(match[1], [])
        elif functions:
            body.append(line.rstrip())
    errors, count = [], 0
    for casts, transpose in graphs():
        name, count = name_of(casts, transpose), count + 1
        errors += [f"{name}: {error}" for error in check(casts, transpose, functions[name], sys.argv[2] == "fused")]
    print("\n".join(errors) or f"{count} graphs")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
