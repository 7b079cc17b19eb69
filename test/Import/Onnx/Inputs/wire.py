"""Writes models and tensors in ONNX's format by the numbers of its schema (onnx.proto), with nothing but NumPy: what
the importer reads is not written by code that it shares.
"""
import struct

import numpy as np

TYPES = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int32): 6,
         np.dtype(np.int64): 7, np.dtype(bool): 9, np.dtype(np.float16): 10, np.dtype(np.float64): 11,
         np.dtype(np.uint64): 13}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, array):
    array = np.asarray(array)
    return (b"".join(integer(1, dim) for dim in array.shape) + integer(2, TYPES[array.dtype]) + block(8, name)
            + block(9, array.tobytes()))


def external(name, array, location):
    """A tensor whose data lie in the file at `location`, which is somebody else's to write."""
    return (b"".join(integer(1, dim) for dim in array.shape) + integer(2, TYPES[array.dtype]) + block(8, name)
            + block(13, block(1, "location") + block(2, location)) + integer(14, 1))


def attribute(name, value):
    """INT, FLOAT, STRING, TENSOR, or a list of the first three."""
    made = block(1, name)
    if isinstance(value, (bool, int)):
        return made + integer(3, int(value)) + integer(20, 2)
    if isinstance(value, float):
        return made + varint(2 << 3 | 5) + struct.pack("<f", value) + integer(20, 1)
    if isinstance(value, str):
        return made + block(4, value) + integer(20, 3)
    if isinstance(value, np.ndarray):
        return made + block(5, tensor("", value)) + integer(20, 4)
    if value and isinstance(value[0], float):
        return made + b"".join(varint(7 << 3 | 5) + struct.pack("<f", v) for v in value) + integer(20, 6)
    if value and isinstance(value[0], str):
        return made + b"".join(block(9, v) for v in value) + integer(20, 8)
    return made + b"".join(integer(8, v) for v in value) + integer(20, 7)


def node(kind, inputs, outputs, domain="", name="", **attributes):
    return (b"".join(block(1, i) for i in inputs) + b"".join(block(2, o) for o in outputs) + block(3, name)
            + block(4, kind) + b"".join(block(5, attribute(k, v)) for k, v in attributes.items()) + block(7, domain))


def value(name, shape, dtype):
    dims = b"".join(block(1, integer(1, dim) if isinstance(dim, int) else block(2, dim)) for dim in shape)
    kind = dtype if isinstance(dtype, int) else TYPES[np.dtype(dtype)]
    return block(1, name) + block(2, block(1, integer(1, kind) + block(2, dims)))


def function(domain, name, inputs, outputs, nodes, attributes=(), opset=17):
    return (block(1, name) + b"".join(block(4, i) for i in inputs) + b"".join(block(5, o) for o in outputs)
            + b"".join(block(6, a) for a in attributes) + b"".join(block(7, n) for n in nodes)
            + block(9, block(1, "") + integer(2, opset)) + block(10, domain))


def model(nodes, inputs, outputs, initializers=(), opset=17, functions=(), producer="test", domains=()):
    """`inputs` and `outputs` are values, `initializers` pairs of a name and an array, or tensors."""
    graph = (b"".join(block(1, n) for n in nodes) + block(2, "g")
             + b"".join(block(5, each if isinstance(each, bytes) else tensor(*each)) for each in initializers)
             + b"".join(block(11, i) for i in inputs) + b"".join(block(12, o) for o in outputs))
    opsets = [("", opset)] + [(domain, 1) for domain in domains]
    return (integer(1, 8) + block(2, producer) + block(7, graph)
            + b"".join(block(8, block(1, domain) + integer(2, version)) for domain, version in opsets)
            + b"".join(block(25, f) for f in functions))


def save_case(folder, name, nodes, inputs, outputs, initializers=(), **more):
    """A folder as ONNX's tests of nodes have it: `inputs` and `outputs` are pairs of a name and an array."""
    data = folder / name / "test_data_set_0"
    data.mkdir(parents=True)
    made = model(nodes, [value(k, np.shape(v), np.asarray(v).dtype) for k, v in inputs],
                 [value(k, np.shape(v), np.asarray(v).dtype) for k, v in outputs], initializers, **more)
    (folder / name / "model.onnx").write_bytes(made)
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for number, (key, array) in enumerate(arrays):
            (data / f"{kind}_{number}.pb").write_bytes(tensor(key, array))
