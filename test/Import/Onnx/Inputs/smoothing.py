"""A model that ends in a loss, with the call that its node stands for as PyTorch's exporter keeps it: smoothing.py CALL
"""
import sys

import numpy as np
from wire import block, model, node, value

kept = block(9, block(1, "pkg.torch.onnx.fx_node") + block(2, sys.argv[1]))  # metadata of the node
loss = node("SoftmaxCrossEntropyLoss", ["logits", "labels"], ["loss"], name="ce") + kept
sys.stdout.buffer.write(model([loss], [value("logits", (4, 3), np.float32), value("labels", (4,), np.int64)],
                              [value("loss", (), np.float32)], opset=18, producer="pytorch"))
