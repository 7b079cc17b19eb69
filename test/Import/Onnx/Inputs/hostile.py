"""Makes models that are wrong, each in its way, and checks what mpc-opt says: hostile.py FOLDER ENCODE

ENCODE is the command that makes a model of its text.
"""
import pathlib
import re
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
    (model(x=shaped([1 << 30, 1 << 30])), "error"),
    (model(x=shaped([2], 99)), "to have elements of .* but got data type 99"),
    (model('node { op_type: "Relu" name: "r\\033[31m" input: "x" output: "y" }'),
     "expected names of at most 4096 bytes of UTF-8 without control characters, but got 'r\\?\\[31m'"),
    (model('node { op_type: "Fancy" name: "f" input: "x" output: "h" } node { op_type: "Relu" input: "h" output: "y" } '
           'node { op_type: "Elu" name: "e" input: "x" output: "q" attribute { name: "beta" type: FLOAT f: 1 } }'),
     "2 cannot(.|\n)*Fancy, 1 node \\('f'\\): the op type is not supported(.|\n)*Elu, 1 node \\('e'\\): attribute 'beta' is not supported"),
    (model('node { op_type: "Gelu" name: "g" input: "x" output: "y" }'), "is read from opset 20 on, but the model says opset 17"),
]


def main():
    models = folder / "models"
    (folder / "secret").write_bytes(b"12345678")
    (models / "short").write_bytes(b"1234")
    (models / "link").symlink_to(folder / "secret")
    (models / "away").symlink_to(folder)
    for number, (text, reason) in enumerate(CASES):
        file = models / f"{number}.onnx"
        file.write_bytes(subprocess.run(encode, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)
        done = subprocess.run(["mpc-opt", "--import-onnx", str(file)], capture_output=True, text=True, timeout=60)
        if done.returncode != 1 or not re.search(reason, done.stderr):
            sys.exit(f"case {number}: expected exit code 1 and '{reason}', but got {done.returncode} and: {done.stderr}")
    whole = (models / "11.onnx").read_bytes()
    for size in range(len(whole)):
        (models / "cut.onnx").write_bytes(whole[:size])
        done = subprocess.run(["mpc-opt", "--import-onnx", str(models / "cut.onnx")], capture_output=True, timeout=60)
        if done.returncode != 1:
            sys.exit(f"cut at {size}: expected exit code 1, but got {done.returncode}")
    print(f"{len(CASES)} models refused, each for its reason, and {len(whole)} that are cut")


main()
