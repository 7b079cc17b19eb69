"""A model that ends in a loss, with the call that its node stands for as PyTorch's exporter keeps it: smoothing.py CALL

By the wire format: the distribution's schema has no metadata of nodes.
"""
import sys


def varint(value):
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def message(*fields):
    data = b""
    for number, value in fields:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            data += varint(number << 3 | 2) + varint(len(value)) + value
    return data


def value(name, kind, *dims):
    shape = message(*((1, message((1, dim))) for dim in dims))
    return message((1, name), (2, message((1, message((1, kind), (2, shape))))))


entry = message((1, "pkg.torch.onnx.fx_node"), (2, sys.argv[1]))
node = message((1, "logits"), (1, "labels"), (2, "loss"), (3, "ce"), (4, "SoftmaxCrossEntropyLoss"), (9, entry))
graph = message((1, node), (2, "g"), (11, value("logits", 1, 4, 3)), (11, value("labels", 7, 4)),
                (12, value("loss", 1)))
sys.stdout.buffer.write(message((1, 10), (2, "pytorch"), (7, graph), (8, message((2, 18)))))
