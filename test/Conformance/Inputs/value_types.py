"""Types that mpc-opt gives the values of a model, and their gradients, in mode torch.

A model is a function whose ops stand one to a line, with one result each. Each value gets a watch
(include/mpc/Dialect/Graph/IR/Watch.h) under its number: arguments first, then results. mpc-differentiate says which op
makes the gradient of a watched value, so one run tells the types of all values and gradients of all models of a file.
"""
import re
import subprocess

WATCH = r"fused<\{graph\.watch = array<i64: (\d+), (\d+), -?\d+>\}>"
VALUE, GRADIENT = 0, 1


def watched(lines):
    """The lines of a function with a watch on every value."""
    number = 0

    def watch():
        nonlocal number
        number += 1
        return f' loc(fused<{{graph.watch = array<i64: 0, {number - 1}, 0>}}>["{number - 1}"])'

    result = []
    for line in lines:
        if line.startswith("func.func"):
            line = re.sub(r"(%\w+: tensor<[^>]*> \{[^}]*\})", lambda found: found[1] + watch(), line)
        elif re.match(r"\s*%\w+ = ", line):
            line += watch()
        result.append(line)
    return result


def element(text):
    return re.search(r"(?:x|<)(i1|i32|f64|f32|f16|bf16)>$", text)[1]


def read_types(text):
    """{number: [type, type of the gradient or None]} of one printed module."""
    aliases = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))

    def watches(location):
        location = aliases.get(location, location)
        while found := re.match(WATCH + r"\[(.*)\]$", location):
            yield int(found[1]), int(found[2])
            location = aliases.get(found[3], found[3])

    types = {}
    for kind, number, type in (
            (kind, number, element(type))
            for type, location in re.findall(
                r"(tensor<[^>]*>)(?: \{[^}]*\})? loc\((#loc\d*|fused<.*?\])\)(?=$|[,)])", text, re.M)
            for kind, number in watches(location)):
        slot = {VALUE: 0, GRADIENT: 1}.get(kind)
        if slot is not None:
            types.setdefault(number, [None, None])[slot] = type
    return types


def of_models(mpc_opt, models, lists, precision):
    """The types of each of `models`, lists of lines, or the error of mpc-opt."""
    text = "\n// -----\n".join("\n".join(watched(lines)) for lines in models)
    command = [mpc_opt, "--split-input-file", "--allow-unregistered-dialect", "--mlir-print-debuginfo",
               f"--mpc-autocast=mode=torch lists={lists} precision={precision}", "--mpc-verify-autocast",
               "--mpc-differentiate", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    printed = run.stdout.split("// -----")
    if run.returncode != 0 or len(printed) != len(models):
        return run.stderr
    return [read_types(module) for module in printed]


def differences(expected, actual, gradients):
    """What `actual` says otherwise than `expected`, both {number: [type, type of the gradient]}, value by value."""
    for number, wanted in expected.items():
        found = actual.get(number, [None, None])
        for what, index in (("type", 0), ("gradient", 1))[:1 + gradients]:
            if wanted[index] != found[index]:
                yield f"value {number}: expected {what} {wanted[index]}, but got {found[index]}"


# Frozen models: after `func.func` stand the types of the arguments, after an op those of its result; "-" has none.

def freeze(lines, types, device, precision):
    def comment(numbers):
        return ", ".join(" ".join(word or "-" for word in types.get(number, [])) or "-" for number in numbers)

    arguments = lines[0].count("%p")
    frozen = [f"// {device} {precision}", f"{lines[0]} // {comment(range(arguments))}"]
    for index, line in enumerate(lines[1:-2]):
        frozen.append(f"{line} // {comment([arguments + index])}")
    return frozen + lines[-2:]


def thaw(block):
    """(device, precision, lines, types) of one frozen model."""
    header, *frozen = block.strip().splitlines()
    lines, types = [], {}
    for line in frozen:
        line, _, comment = line.partition(" // ")
        lines.append(line)
        for words in comment.split(", ") if comment else []:
            number = len(types)
            types[number] = None if words == "-" else [None if word == "-" else word for word in words.split()]
    return *header.split()[1:], lines, {number: words for number, words in types.items() if words}
