"""Models with the signature of torch.export, some of whose parameters the file has not: lost.py KIND

Written as PyTorch's exporter writes what it has folded, merged or left out; what the calls read it keeps as text.
"""
import sys

import numpy as np
from wire import block, model, node, value


def kept(number, **pairs):
    """Metadata of a node (field 9) or a graph (16)."""
    keys = {"call": "pkg.torch.onnx.fx_node", "scopes": "pkg.torch.onnx.name_scopes",
            "signature": "pkg.torch.export.ExportedProgram.graph_signature"}
    return b"".join(block(number, block(1, keys[key]) + block(2, text)) for key, text in pairs.items())


def linear(given, result, weight, call, scope):
    return node("MatMul", [given, weight], [result], name=result) + kept(
        9, call=f"%{result} : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = {call})",
        scopes=f"['', '{scope}', 'linear']")


def add(given, tensor, result):
    return node("Add", [given, tensor], [result]) + kept(
        9, call=f"%{result} : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%{given}, %b_{tensor}))",
        scopes="['', 'add']")


W = np.ones((3, 3), np.float32)
BIASED = linear("x", "h", "a.weight", "(%x, %p_a_weight, %p_a_bias)", "a")
FIRST = linear("x", "h", "a.weight", "(%x, %p_a_weight)", "a")
SECOND = linear("h", "z", "b.weight", "(%h, %p_b_weight)", "b")
TIED = linear("h", "z", "a.weight", "(%h, %p_a_weight)", "b")
LAST = linear("h", "y", "b.weight", "(%h, %p_b_weight)", "b")
# The parameters of the signature, the names that the file has, and its nodes. 'mask' is a buffer.
KINDS = {
    # A call reads one: a batch norm is folded into a convolution so, and equal ones are merged.
    "read": (["a.weight", "a.bias", "b.weight"], ["a.weight", "b.weight"],
             [BIASED, SECOND, node("Relu", ["z"], ["y"])]),
    # None has read 'c', since its call is folded, too: what has been computed has no name in the signature.
    "computed": (["a.weight", "b.weight", "c"], ["a.weight", "b.weight", "exp"],
                 [FIRST, SECOND, add("z", "exp", "y")]),
    "all": (["g", "v"], ["div"], [node("MatMul", ["x", "div"], ["y"])]),
    # The module 'b' reads the weight of 'a', beside something that is computed of constants.
    "tied": (["a.weight", "b.weight"], ["a.weight", "val_3"], [FIRST, TIED, add("z", "val_3", "y")]),
    # Nothing reads 'c', and nothing is folded.
    "unread": (["a.weight", "b.weight", "c"], ["a.weight", "b.weight", "mask"],
               [FIRST, SECOND, add("z", "mask", "y")]),
    # The program returns a product with a number that is 1, which the exporter has dropped: nobody made 'scaled'.
    "scaled": (["a.weight", "b.weight", "scale"], ["a.weight", "b.weight"], [FIRST, LAST]),
    # It is dropped within: the second layer reads 'scaled'.
    "within": (["a.weight", "b.weight", "scale"], ["a.weight", "b.weight"],
               [FIRST, linear("h", "y", "b.weight", "(%scaled, %p_b_weight)", "b")]),
    # A part of a tuple that a call returned is no node.
    "tuple": (["a.weight", "b.weight", "c"], ["a.weight", "b.weight"],
              [FIRST, linear("h", "y", "b.weight", "(%getitem_3, %p_b_weight)", "b")]),
    # The module 'b' has a number that was dropped, beside a weight that is tied.
    "beside": (["a.weight", "b.weight", "b.scale"], ["a.weight"],
               [FIRST, linear("h", "y", "a.weight", "(%h, %p_a_weight)", "b")]),
    # 'b.bias' and 'b.head.bias' are one, as in BERT.
    "inner": (["a.weight", "b.bias", "b.head.weight", "b.head.bias"], ["a.weight", "b.head.weight", "b.head.bias"],
              [FIRST, linear("h", "z", "b.head.weight", "(%h, %p_b_head_weight, %p_b_head_bias)", "b.head"),
               node("Add", ["z", "b.head.bias"], ["y"])]),  # which the exporter has split off
    # Nothing of it is in the file.
    "names": (["a.weight", "b.weight", "evil\x1b[31m" + "e" * 5000], ["a.weight", "b.weight"], [FIRST, LAST]),
}
kind = sys.argv[1]
# What the program returns is the result of the last call, or of one that is gone.
returned = {"scaled": "scaled", "beside": "scaled", "inner": "dropout", "names": "scaled"}.get(kind, "y")
names, stored, nodes = KINDS[kind.split("-")[0]]
lines = [f"p_{name.replace('.', '_')}: PARAMETER target='{name}'" for name in names]
lines += ["b_mask: BUFFER target='mask' persistent=True", "x: USER_INPUT", "", "# outputs",
          f"{returned}: USER_OUTPUT"]
text = "\n".join(["", "# inputs", *lines, ""])
if kind == "read-hostile":  # and all of this, which is no signature
    text += "x: PARAMETER target='" * 100000 + "\n" + ": " * 100000 + "\n" + "{" * 100000 + "\n\xff\0: USER_OUTPUT\n"
    nodes = nodes + [node("Relu", ["x"], ["unread"]) + kept(9, call="%" * 100000, scopes="'" * 100000),
                     node("Relu", ["x"], ["unread2"]) + kept(9, call="%p_a_weight" * 10000, scopes="'b'" * 30000)]
tensors = [(name, W if name.endswith("weight") or name == "div" else W[0]) for name in stored]
made = model(nodes, [value("x", (2, 3), np.float32)], [value("y", (2, 3), np.float32)], tensors, opset=18,
             producer="pytorch")
sys.stdout.buffer.write(made + block(7, kept(16, signature=text)))
