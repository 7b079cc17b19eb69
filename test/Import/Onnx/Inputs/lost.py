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
    return node("Add", [given, tensor], [result])


W = np.ones((3, 3), np.float32)
BIASED = linear("x", "h", "a.weight", "(%x, %p_a_weight, %p_a_bias)", "a")
FIRST = linear("x", "h", "a.weight", "(%x, %p_a_weight)", "a")
SECOND = linear("h", "z", "b.weight", "(%h, %p_b_weight)", "b")
TIED = linear("h", "z", "a.weight", "(%h, %p_a_weight)", "b")
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
}
names, stored, nodes = KINDS[sys.argv[1]]
lines = [f"p_{name.replace('.', '_')}: PARAMETER target='{name}'" for name in names]
lines += ["b_mask: BUFFER target='mask' persistent=True", "x: USER_INPUT"]
tensors = [(name, W if "." in name or name == "div" else W[0]) for name in stored]
made = model(nodes, [value("x", (2, 3), np.float32)], [value("y", (2, 3), np.float32)], tensors, opset=18,
             producer="pytorch")
sys.stdout.buffer.write(made + block(7, kept(16, signature="\n".join(["", "# inputs", *lines, ""]))))
