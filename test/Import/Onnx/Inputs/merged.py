"""Models without a signature some of whose parameters stand for others: merged.py KIND

Written as PyTorch's older exporter writes what it has merged: a node Identity in no module, whose result has the name of
the one that is gone. Other nodes have their modules in their names.
"""
import sys

import numpy as np
from wire import model, node, value

ROW, TABLE, MASK = np.ones(3, np.float32), np.ones((3, 3), np.float32), np.ones((1, 3, 3), np.float32)


def norm(given, result, scale, module):
    return node("LayerNormalization", [given, scale], [result], name=f"{module}/LayerNormalization")


def merge(one, other, number=0):
    return node("Identity", [one], [other], name=f"Identity_{number}")


def product(given, result, weight, module):
    return node("MatMul", [given, weight], [result], name=f"{module}/MatMul")


# The initializers, and the nodes.
KINDS = {
    "norms": ({"a.weight": ROW}, [merge("a.weight", "b.weight"), norm("x", "h", "a.weight", "/a"),
                                  norm("h", "y", "b.weight", "/b")]),
    # Of a layer, if not of one dim.
    "products": ({"a.weight": TABLE}, [merge("a.weight", "b.weight"), product("x", "h", "a.weight", "/a"),
                                       product("h", "y", "b.weight", "/b")]),
    # A tool has dropped the node. Elements of a list repeat its name.
    "direct": ({"l.0.norm.weight": ROW, "l.0.fc.weight": TABLE},
               [norm("x", "h", "l.0.norm.weight", "/l/l.0/norm"), product("h", "z", "l.0.fc.weight", "/l/l.0/fc"),
                node("Add", ["z", "l.0.norm.weight"], ["y"], name="/l/l.0/fc/Add")]),
    # One norm that is called twice, and stands in two modules.
    "shared": ({"l.0.weight": ROW}, [norm("x", "h", "l.0.weight", "/l/l.0"), norm("h", "z", "l.0.weight", "/l/l.0_1"),
                                     norm("z", "y", "l.0.weight", "/other/l.0")]),
    # A scale of a module that the module around it reads, too.
    "around": ({"b.norm.weight": ROW}, [norm("x", "h", "b.norm.weight", "/b/norm"),
                                        node("Mul", ["h", "b.norm.weight"], ["y"], name="/b/Mul")]),
    # Tied: a table and a product.
    "tied": ({"e.weight": TABLE}, [node("Gather", ["e.weight", "x"], ["h"], name="/e/Gather"),
                                   product("h", "y", "e.weight", "/head")]),
    # Equal buffers of two layers, a copy that the module makes, and an output.
    "others": ({"a.mask": MASK, "w": ROW},
               [merge("a.mask", "b.mask"), node("Add", ["x", "a.mask"], ["h"], name="/a/Add"),
                node("Add", ["h", "b.mask"], ["z"], name="/b/Add"), node("Identity", ["w"], ["/Identity_output_0"], name="/Identity"),
                node("Mul", ["z", "/Identity_output_0"], ["y"], name="/Mul"), merge("w", "scale")]),
}
kind, producer = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "pytorch"
tensors, nodes = KINDS[kind]
indices = kind == "tied"
outputs = [value("y", (1, 3, 3) if kind == "others" else (2, 3), np.float32)]
if kind == "others":
    outputs.append(value("scale", (3,), np.float32))
sys.stdout.buffer.write(model(nodes, [value("x", (2,) if indices else (3, 3) if kind == "others" else (2, 3),
                                            np.int64 if indices else np.float32)],
                              outputs, list(tensors.items()), opset=18, producer=producer))
