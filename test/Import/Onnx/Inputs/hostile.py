"""Makes models that are wrong, each in its way, and checks what mpc-opt says: hostile.py FOLDER ENCODE

ENCODE is the command that makes a model of its text.
"""
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys

folder, encode = pathlib.Path(sys.argv[1]), shlex.split(sys.argv[2])
SHAPE = "type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } }"
RELU = 'node { op_type: "Relu" name: "r" input: "x" output: "y" }'
ADD = 'node { op_type: "Add" name: "a" input: "x" input: "w" output: "y" }'


def model(nodes=RELU, initializers="", x=SHAPE, outputs=f'output {{ name: "y" {SHAPE} }}', version=17):
    return (f'ir_version: 8 opset_import {{ version: {version} }} graph {{ name: "g" {nodes} {initializers} '
            f'input {{ name: "x" {x} }} {outputs} }}')


def external(location, offset=0, length=8, dims=2):
    return model(ADD, f'initializer {{ name: "w" dims: {dims} data_type: 1 data_location: EXTERNAL '
                 f'external_data {{ key: "location" value: "{location}" }} external_data {{ key: "offset" value: "{offset}" }} '
                 f'external_data {{ key: "length" value: "{length}" }} }}')


def shaped(dims, elements=1):
    dims = " ".join(f"dim {{ dim_value: {dim} }}" for dim in dims)
    return f"type {{ tensor_type {{ elem_type: {elements} shape {{ {dims} }} }} }}"


def initializer(name, dims, numbers="", kind=1):
    dims = " ".join(f"dims: {dim}" for dim in dims)
    return f'initializer {{ name: "{name}" {dims} data_type: {kind} {numbers} }}'


def node(kind, inputs, output="y", more="", outputs=()):
    inputs = " ".join(f'input: "{name}"' for name in inputs)
    outputs = " ".join(f'output: "{name}"' for name in (output, *outputs))
    return f'node {{ op_type: "{kind}" name: "n" {inputs} {outputs} {more} }}'


def integers(name, *numbers):
    return f'attribute {{ name: "{name}" type: INTS ints: {list(numbers)} }}'


def integer_list(name, *numbers):
    return initializer(name, [len(numbers)], f"int64_data: {list(numbers)}", 7)


HUGE = 1 << 40
TOO_LARGE = "expected a tensor of at most 2\\^42 bytes, but got"
NOTHING = initializer("w", [HUGE, 1, 0], kind=7)
INDEX = initializer("i", [1], "int64_data: [0]", 7)


def function(name, body, attributes=""):
    return (f'functions {{ name: "{name}" domain: "local" input: "a" output: "b" {attributes} {body} '
            'opset_import { version: 17 } }')


CALL = 'node { op_type: "F" domain: "local" name: "n" input: "x" output: "y" }'
FANCY = function("F", 'node { op_type: "Fan\\033[31mcy" name: "m\\033[2J" input: "a" output: "b" }')

CASES = [
    (external("../secret"), "expected names of folders and a file, without '.' and '..'"),
    (external("deep/../../secret"), "expected names of folders and a file, without '.' and '..'"),
    (external("/etc/passwd"), "expected a path relative to the model's folder"),
    (external("link"), "'link' is a symbolic link"),
    (external("away/secret"), "is a symbolic link|cannot be opened: Not a directory"),
    (external("deep"), "expected a regular file"),
    (external("short", length=8), "expected 8 bytes at offset 0 of 'short', but the file has 4"),
    (external("short", offset=18446744073709551615), "expected 8 bytes at offset 18446744073709551615"),
    (external("short", length=4), "expected 8 bytes of external data for its shape and type, but its length is 4"),
    (external("none", dims=1 << 40, length=4 << 40), "location 'none': cannot be opened: No such file"),
    (model('node { op_type: "Add" name: "a" input: "x" input: "z" output: "y" } '
           'node { op_type: "Relu" name: "r" input: "y" output: "z" }'), "the graph is not sorted, or has a cycle"),
    (model(RELU + RELU), "expected each name once, but node 'r' makes 'y' again"),
    (model(ADD, 'initializer { name: "w" dims: 2 data_type: 1 float_data: [1] }'), "expected 8 bytes of data .* but got 4"),
    (model(ADD, 'initializer { name: "w" dims: -2 data_type: 1 }'), "expected dims that are not negative"),
    (model(ADD, 'initializer { name: "w" dims: 2 data_type: 7 int64_data: [1, 2] }'), "Add, 1 node \\('a'\\): graph.add:"),
    # Products of sizes that wrap, to 0 or to less than they are: where the value comes in or is made.
    *((model(node(kind, ["x"]), x=shaped(dims), version=12),
       f"error: input 'x': {TOO_LARGE} 'tensor<{'x'.join(map(str, dims))}xf32>'(.|\n)*note: its sizes are those of the model")
      for kind, dims in (("Relu", [1 << 30, 1 << 30]), ("Hardmax", [7, HUGE, HUGE]), ("Softmax", [7, HUGE, HUGE]),
                         ("Shape", [1 << 32, 1 << 32]), ("Size", [1 << 32, (1 << 32) + 1]), ("Identity", [1 << 61, 8, 1]))),
    (model(ADD, initializer("w", [1 << 32, 1 << 32])), f"initializer 'w': .* 2\\^42 bytes, but got float32 of {1 << 32}x{1 << 32}"),
    (model(ADD, initializer("w", [HUGE + 1])), f"initializer 'w': .* 2\\^42 bytes, but got float32 of {HUGE + 1}"),
    (model(node("Expand", ["x", "i"]), integer_list("i", 1 << 32, 1 << 32, 2)), f"Expand, 1 node \\('n'\\): .*{TOO_LARGE}"),
    (model(node("Expand", ["x", "i"]), integer_list("i", 1 << 62, 4, 2)), f"Expand, 1 node \\('n'\\): .*{TOO_LARGE}"),
    (model(node("Tile", ["x", "i"]), integer_list("i", 1 << 62)), "Tile, 1 node \\('n'\\): .*expected sizes of 63 bits, but 2 \\* "),
    (model(node("Tile", ["x", "i"]), integer_list("i", 1 << 31, 1 << 31), shaped([2, 2])),
     f"Tile, 1 node \\('n'\\): .*{TOO_LARGE} 'tensor<{1 << 32}x{1 << 32}xf32>'"),
    (model(node("Pad", ["x", "i"]), integer_list("i", *4 * [(1 << 31) - 1]), shaped([2, 2])),
     f"Pad, 1 node \\('n'\\): .*{TOO_LARGE} 'tensor<{1 << 32}x{1 << 32}xf32>'"),
    (model(node("ConstantOfShape", ["i"]), integer_list("i", 1 << 32, 1 << 32)),
     "ConstantOfShape, 1 node \\('n'\\): its result is larger than what is computed"),
    (model(node("Resize", ["x", "", "", "i"]), integer_list("i", 1, 1, 1 << 30, 1 << 30), shaped([1, 1, 4, 4])),
     f"Resize, 1 node \\('n'\\): .*{TOO_LARGE}"),
    (model(x=shaped([2], 99)), "to have elements of .* but got data type 99"),
    (model('node { op_type: "Relu" name: "r\\033[31m" input: "x" output: "y" }'),
     "expected names of at most 4096 bytes of UTF-8 without control characters, but got 'r\\?\\[31m'"),
    (model('node { op_type: "Fancy" name: "f" input: "x" output: "h" } node { op_type: "Relu" input: "h" output: "y" } '
           'node { op_type: "Elu" name: "e" input: "x" output: "q" attribute { name: "beta" type: FLOAT f: 1 } }'),
     "2 cannot(.|\n)*Fancy, 1 node \\('f'\\): the op type is not supported(.|\n)*Elu, 1 node \\('e'\\): attribute 'beta' is not supported"),
    (model('node { op_type: "Gelu" name: "g" input: "x" output: "y" }'), "is read from opset 20 on, but the model says opset 17"),
    (model(ADD.replace('output: "y"', 'output: "w"'), initializer("w", [2], "float_data: [1, 2]")),
     "node 'a' makes 'w' again, the name of an initializer: give the parameter another name"),
    # Shapes of nothing whose other dims loops would count.
    (model(node("Concat", ["w", "w"], more='attribute { name: "axis" type: INT i: 1 }'), NOTHING), "output 'y'"),
    (model(node("Gather", ["w", "i"], more='attribute { name: "axis" type: INT i: 1 }'), NOTHING + INDEX), "output 'y'"),
    (model(ADD, initializer("w", [HUGE, HUGE, 0])), "dims that are not negative and, without those of 0, a tensor of at most"),
    # A file can be as long as it says without anything in it.
    (external("sparse", dims=HUGE, length=4 << 40), "there is no memory for 4398046511104 bytes of external data"),
    # Names, wherever they stand, and what is no text at all.
    (model(CALL) + FANCY, "without control characters, but got 'm\\?\\[2J'"),
    (model(node("Re\\377lu", ["x"])), "of UTF-8 without control characters, but got 'Re\\?lu'"),
    (model(RELU + ' node { op_type: "Sum" name: "s" input: "x" output: "q" attribute { name: "\\200\\233" type: INT i: 1 } }'),
     "but got '\\?\\?'"),
    # What a newer opset may have given a meaning.
    (model(node("Relu", ["x", "x"])), "Relu, 1 node \\('n'\\): operand 1 \\('x'\\) is not supported"),
    (model(node("Relu", ["x"], outputs=["z"]) + 'node { op_type: "Neg" input: "z" output: "q" }'),
     "Relu, 1 node \\('n'\\): output 1 \\('z'\\) is not supported"),
    (model(node("Add", ["x", "x"]), version=6), "Add, 1 node \\('n'\\): it is read from opset 7 on, but the model says opset 6"),
    (model().replace("opset_import { version: 17 }", ""), "expected the version of the opset"),
    (model(outputs=""), "expected a model with an output"),
    (model(ADD, initializer("w", [2], 'raw_data: "12345678" float_data: [1, 2]')), "expected one field of data"),
    (model(node("Celu", ["x"], more='attribute { name: "alpha" type: FLOAT f: -1 }')), "expected an alpha above 0"),
    # Half pixels from both ends, where 6 * 0.2 is no whole size.
    (model(node("Resize", ["x", "", "s"], more='attribute { name: "mode" type: STRING s: "linear" } attribute '
                '{ name: "coordinate_transformation_mode" type: STRING s: "half_pixel_symmetric" }'),
           initializer("s", [4], "float_data: [1, 1, 0.2, 0.2]"), shaped([1, 1, 6, 6]), version=19),
     "half_pixel_symmetric' is not supported"),
    (model(node("AveragePool", ["x"], more=integers("kernel_shape", 1 << 24) + integers("pads", (1 << 24) - 1, (1 << 24) - 1)),
           x=shaped([1, 1, 9])), "expected windows of at most 65536 elements, but got 16777216"),
    # A column with a row: what arithmetic makes within a converter, and what is made of it.
    *((model(node("Unsqueeze", ["x", "i"], "c") + node(kind, ["c", "x"]), integer_list("i", 1), shaped([HUGE])),
       f"{kind}, 1 node \\('n'\\): .*2\\^42 bytes, but got .*{HUGE}x{HUGE}")
      for kind in ("Add", "Mean", "Sum", "Max", "Div", "PRelu", "Pow", "Greater")),
    (model(node("Unsqueeze", ["x", "i"], "c") + node("Mean", ["c", "x"], "m") + node("Softmax", ["m"]), integer_list("i", 1),
           shaped([HUGE]), version=12).replace('"c" ', '"c" attribute { name: "axes" type: INTS ints: 1 }', 1).replace('input: "i"', "", 1),
     "Mean, 1 node \\('n'\\)"),
    # An LSTM whose states are projected, by zeros that nobody reads.
    (model(node("LSTM", ["x", "w", "r", "", "", "h", "h"]), initializer("w", [1, 8, 3], f"float_data: {24 * [1]}")
           + initializer("r", [1, 8, 2], f"float_data: {16 * [1]}") + initializer("h", [1, 4, 5], f"float_data: {20 * [0]}"),
           shaped([6, 4, 3])), "LSTM, 1 node \\('n'\\): expected a first state of 1x4x2, operand 5, but got one of 1x4x5"),
    (model(node("Hardmax", ["x"], more='attribute { name: "axis" type: FLOAT f: 1 }'), x=shaped([2, 3, 4]), version=12),
     "Hardmax, 1 node \\('n'\\): attribute 'axis' has another type than it should"),
    (model(node("ConstantOfShape", ["i"]), initializer("i", [1], "int64_data: [-1]", 7)), "expected sizes of 0 or more"),
    (model(node("Range", ["a", "b", "c"]), initializer("a", [], "int64_data: [0]", 7)
           + initializer("b", [], f"int64_data: [{HUGE}]", 7) + initializer("c", [], "int64_data: [1]", 7)),
     "its result is larger than what is computed"),
    (model(node("Range", ["a", "b", "c"]), initializer("a", [], "float_data: [0]") + initializer("b", [], "float_data: [nan]")
           + initializer("c", [], "float_data: [1]")), "expected numbers and a step that is not 0"),
]


def bombs():
    """Small files that would become large: lists that grow, and functions that call functions with their attributes."""
    inserts = 'node { op_type: "SequenceEmpty" output: "s0" } ' + " ".join(
        f'node {{ op_type: "SequenceInsert" input: "s{i}" input: "x" output: "s{i + 1}" }}' for i in range(10000))
    yield model(inserts + RELU), "sequences take too much memory"
    calls = [function(f"F{depth}", " ".join(
        f'node {{ op_type: "F{depth + 1}" domain: "local" input: "v{i}" output: "v{i + 1}" attribute {{ name: "t" type: TENSOR '
        'ref_attr_name: "t" } }' for i in range(8)).replace('"v0"', '"a"').replace('"v8"', '"b"'), 'attribute: "t"')
        for depth in range(5)]
    last = function("F5", 'node { op_type: "Constant" output: "c" attribute { name: "value" type: TENSOR ref_attr_name: "t" } } '
                    'node { op_type: "Add" input: "a" input: "c" output: "b" }', 'attribute: "t"')
    numbers = "\\000" * (1 << 19)
    tensor = f'attribute {{ name: "t" type: TENSOR t {{ dims: {1 << 17} data_type: 1 raw_data: "{numbers}" }} }}'
    yield (model(f'node {{ op_type: "F0" domain: "local" input: "x" output: "y" {tensor} }}', x=shaped([1 << 17]))
           + " ".join(calls) + last), "take too much memory|more is computed than may be"


def main():
    models = folder / "models"
    (folder / "secret").write_bytes(b"12345678")
    (models / "short").write_bytes(b"1234")
    (models / "link").symlink_to(folder / "secret")
    (models / "away").symlink_to(folder)
    with open(models / "sparse", "wb") as file:
        file.truncate(4 << 40)
    # A process under sanitizers reserves 16 TB before it begins.
    space = resource.RLIM_INFINITY if "MPC_SANITIZERS" in os.environ else 3 << 30
    limits = lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space))  # noqa: E731
    for number, (text, reason) in enumerate([*CASES, *bombs()]):
        file = models / f"{number}.onnx"
        file.write_bytes(subprocess.run(encode, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)
        done = subprocess.run(["mpc-opt", "--import-onnx", str(file)], capture_output=True, text=True, timeout=60,
                              preexec_fn=limits)
        if "\x1b" in done.stderr:
            sys.exit(f"case {number}: a name reaches the terminal: {done.stderr!r}")
        if done.returncode != 1 or not re.search(reason, done.stderr):
            sys.exit(f"case {number}: expected exit code 1 and '{reason}', but got {done.returncode} and: {done.stderr}")
    whole = (models / "11.onnx").read_bytes()
    for size in range(len(whole)):
        (models / "cut.onnx").write_bytes(whole[:size])
        done = subprocess.run(["mpc-opt", "--import-onnx", str(models / "cut.onnx")], capture_output=True, timeout=60)
        if done.returncode != 1:
            sys.exit(f"cut at {size}: expected exit code 1, but got {done.returncode}")
    print(f"{number + 1} models refused, each for its reason, and {len(whole)} that are cut")


main()
