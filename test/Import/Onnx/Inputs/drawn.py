"""A model that drops x of 64 x 64, with a probability of 0.25, in evaluation, too: drawn.py KIND

"dropout": by a Dropout; "attention": by one that has no mode, as exporters of attention write it; "mask": by a mask
of random numbers.
"""
import sys

import numpy as np
from wire import block, model, node, value

always = block(9, block(1, "mpc.drawn") + block(2, "always"))  # metadata of the node
nodes = {"dropout": [node("Dropout", ["x", "ratio", "on"], ["y"], name="drop") + always],
         "attention": [node("Dropout", ["x", "ratio"], ["y"], name="drop") + always],
         "mask": [node("RandomUniformLike", ["x"], ["u"], name="u") + always, node("Less", ["u", "keep"], ["below"]),
                  node("Cast", ["below"], ["kept"], to=1), node("Div", ["kept", "keep"], ["mask"]),
                  node("Mul", ["x", "mask"], ["y"])]}[sys.argv[1]]
tensors = [("ratio", np.float32(0.25)), ("on", np.bool_(True)), ("keep", np.float32(0.75))]
sys.stdout.buffer.write(model(nodes, [value("x", (64, 64), np.float32)], [value("y", (64, 64), np.float32)], tensors,
                              opset=18))
