"""How a module of PyTorch becomes a model in ONNX's format that trains as it does: what :mod:`mpc.torch` asks, in order.

``traces`` has its graphs by torch.export, ``modes`` watches what runs while they are made, ``audit`` refuses or tells what
the format has no word for, ``stops``, ``draws``, ``norms`` and ``ties`` write what it has one for, and
``trainer`` trains it, by what ``forward`` and ``evaluation`` know of its inputs, its outputs and its eval mode.
"""
