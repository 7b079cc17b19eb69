#!/usr/bin/env python3
"""Writes the seeds of the fuzz drivers: seeds.py FOLDER SOURCE_FOLDER PROGRAM...

FOLDER gets one folder per driver. Models are the functions of the repository's
tests and examples; programs are copies of the files given.
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys

MAX_MODEL_BYTES = 8192


def make_models(folder, source):
    """Each part of each test file is a model of its own, or nearly one."""
    for pattern in ("examples/**/*.mlir", "test/Dialect/**/*.mlir", "test/Pipelines/**/*.mlir"):
        for path in sorted(source.glob(pattern)):
            for number, part in enumerate(path.read_text().split("// -----")):
                lines = [line for line in part.splitlines() if not line.lstrip().startswith("//")]
                text = "\n".join(lines).strip()
                if 0 < len(text) <= MAX_MODEL_BYTES:
                    (folder / f"{path.stem}-{number}.mlir").write_text(text)


def make_onnx(folder, source):
    """ONNX's tests of nodes, and models of the repository's tests as protoc makes them of their texts."""
    for path in sorted(pathlib.Path("/usr/share/libonnx-testdata/data/node").glob("*/model.onnx")):
        if path.stat().st_size <= MAX_MODEL_BYTES:
            shutil.copy(path, folder / f"{path.parent.name}.onnx")
    for path in sorted((source / "test/Import/Onnx/Inputs").glob("*.textproto")):
        encoded = subprocess.run(["protoc", "--encode=onnx.ModelProto", "-I", "/usr/include/onnx", "onnx.proto"],
                                 input=path.read_bytes(), stdout=subprocess.PIPE, check=True).stdout
        (folder / f"{path.stem}.onnx").write_bytes(encoded)


def make_npy(folder):
    def write(name, version, descr, shape, data):
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
        length = struct.Struct("<H" if version == 1 else "<I")
        header += b" " * (-(8 + length.size + len(header) + 1) % 64) + b"\n"
        start = b"\x93NUMPY" + bytes([version, 0]) + length.pack(len(header))
        (folder / f"{name}.npy").write_bytes(start + header + data)

    for descr, bytes_each in (("<f2", 2), ("<f4", 4), ("<f8", 8), ("<i4", 4), ("<i8", 8), ("|u1", 1),
                              ("|b1", 1), ("<V2", 2)):
        for shape, count in (((), 1), ((3,), 3), ((2, 3), 6), ((0, 4), 0)):
            name = descr.strip("<|") + "-" + "x".join(map(str, shape))
            write(name, 1, descr, shape, bytes(count * bytes_each))
    for version in (2, 3):
        write(f"version-{version}", version, "<f4", (2,), struct.pack("<2f", 1.5, -2))


def make_safetensors(folder):
    def write(name, header, data):
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        (folder / name).write_bytes(struct.pack("<Q", len(text)) + text + data)

    write("empty.safetensors", {}, b"")
    write("metadata.safetensors", {"__metadata__": {"step": "3"}}, b"")
    tensors, data = {}, b""
    for dtype, bytes_each in (("F64", 8), ("I64", 8), ("F32", 4), ("I32", 4), ("F16", 2),
                              ("BF16", 2), ("BOOL", 1), ("U8", 1)):
        begin = len(data)
        data += bytes(6 * bytes_each)
        tensors[dtype.lower()] = {"dtype": dtype, "shape": [2, 3], "data_offsets": [begin, len(data)]}
    write("types.safetensors", tensors, data)
    scalar = {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}
    write("names.safetensors", {"layer.0/w\u00e9": scalar}, bytes(4))


def make_policies(folder):
    rules = [{"op": "graph.matmul", "policy": "deny"}, {"loc": "layer\\..*", "policy": "allow"},
             {"region": "head", "policy": "deny"}, {"op": "graph.exp", "operand": 0, "policy": "deny"}]
    (folder / "all.json").write_text(json.dumps({"version": 1, "rules": rules}))
    (folder / "none.json").write_text(json.dumps({"version": 1, "rules": []}))


def make_profiles(folder, source):
    """Beside what the tests hold, a profile of the driver's own model."""
    for path in sorted(source.glob("test/**/*profile*.json")):
        shutil.copy(path, folder)
    formats = {name: {"overflow": 0.5, "flush": 0.25} for name in ("f16", "bf16")}
    value = {"name": "head", "op": "graph.matmul", "location": "head", "type": "f32", "shape": [4, 3],
             "backward": False, "elements": 12, "inf": 0, "nan": 0, "zeros": 0, "largest": 1e5,
             "smallest": 1e-9, "formats": formats, "exponents": {"3": 12}}
    (folder / "model.json").write_text(json.dumps({"version": 1, "values": [value]}))


def make_options(folder):
    lines = (["m.mlir"], ["--flag", "--count=7", "-o", "out", "m"], ["--real", "-1e-3", "--count=1", "m"],
             ["--word=two", "--pair=x=y", "--pair", "a=b", "m"], ["--rate=.5", "--bounded", "9", "--", "--m"],
             ["-vo", "x", "m"], ["--help"], ["--text=", "m"], ["--cuont=3"], ["-", "--bounded=10"])
    for number, arguments in enumerate(lines):
        (folder / f"{number}.txt").write_text("\n".join(arguments))


def main():
    root, source, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    folders = {}
    for name in ("model", "onnx", "npy", "safetensors", "options", "policy", "profile", "program"):
        folders[name] = root / name
        shutil.rmtree(folders[name], ignore_errors=True)
        folders[name].mkdir(parents=True)
    make_models(folders["model"], source)
    make_onnx(folders["onnx"], source)
    make_npy(folders["npy"])
    make_safetensors(folders["safetensors"])
    make_options(folders["options"])
    make_policies(folders["policy"])
    make_profiles(folders["profile"], source)
    for path in programs:
        shutil.copy(path, folders["program"])


if __name__ == "__main__":
    main()
