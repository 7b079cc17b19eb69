"""What PyTorch's exporter keeps of a graph, to be written behind a model, which it joins: signature.py PARAMETER,... BUFFER,..."""
import sys

from wire import block

parameters, buffers = (names.split(",") for names in sys.argv[1:])
lines = [f"p_{name}: PARAMETER target='{name}'" for name in parameters]
lines += [f"b_{name}: BUFFER target='{name}' persistent=True" for name in buffers]
entry = block(1, "pkg.torch.export.ExportedProgram.graph_signature") + block(2, "\n".join(["", "# inputs", *lines, ""]))
sys.stdout.buffer.write(block(7, block(16, entry)))  # fields of the model and of its graph
