"""Generated softmax and layer_norm, forward and backward, against PyTorch.

usage: against_kernels.py PROGRAM_KERNELS MODELS [--rows 65536] [--columns ...]
                          [--types bf16,f16] [--rounds 10] [--seconds 0.05]

MODELS: the programs that models.py's models compile to, <name>-<columns>-<type>
.mpcx. PyTorch runs eagerly and compiled; its backward is that of the same
operation, with the statistics that its forward kept.
"""
import argparse
import json
import pathlib

import turns
import torch_peers
from torch_peers import torch
import torch._functorch.config

torch._functorch.config.donated_buffer = False  # a backward is run many times


def softmax(x, weight, bias):
    return torch.softmax(x, -1)


def layer_norm(x, weight, bias):
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias)


def forward_and_backward(function, rows, columns, element):
    """Both as functions without arguments."""
    def random(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch_peers.TYPES[element])

    x, dy = random(rows, columns).requires_grad_(), random(rows, columns)
    leaves = [x]
    weight, bias = random(columns), random(columns)
    if function.__name__ != "softmax":
        leaves += [weight.requires_grad_(), bias.requires_grad_()]
    y = function(x, weight, bias)

    def forward():
        with torch.no_grad():
            function(x, weight, bias)

    return forward, lambda: torch.autograd.grad(y, leaves, dy, retain_graph=True)


def compiled(function, rows, columns, element):
    torch._dynamo.reset()
    fast = torch.compile(function, dynamic=False)
    fast.__name__ = function.__name__
    return forward_and_backward(fast, rows, columns, element)


def compare(options, ours, function, columns, element):
    eager = forward_and_backward(function, options.rows, columns, element)
    try:
        fast = compiled(function, options.rows, columns, element)
    except Exception as error:  # whatever a compiler may throw
        print(json.dumps({"missing peer": "compile", "why": str(error).strip().splitlines()[0][:200]}), flush=True)
        fast = None
    for direction, suffix in enumerate(("", "-backward")):
        name = f"{function.__name__}{suffix}-{columns}-{element}"
        if name not in ours.names():
            continue
        reads = 2 if suffix else 1
        moved = options.rows * columns * 2 * (reads + 1)

        def rates(samples):
            middle = len(samples["ours"]) // 2
            copy = 2**30 / sorted(samples["copy"])[middle]
            return {"of copy": round(moved / sorted(samples["ours"])[middle] / copy, 3)}

        peers = {"ours": ours.peer(name), "eager": torch_peers.timed(eager[direction])}
        if fast:
            turns.add_peer(peers, "compile", lambda: torch_peers.timed(fast[direction]))
        peers["copy"] = ours.peer("copy")
        turns.compare(name, peers, options.rounds, options.seconds, rates)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program_kernels")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=65536)
    parser.add_argument("--columns", default="768,1600,4096")
    parser.add_argument("--types", default="bf16,f16")
    turns.add_options(parser, seconds=0.05)
    options = parser.parse_args()
    programs = sorted(options.models.glob("*.mpcx"))
    wanted = [str(path) for path in programs if path.name.startswith(("softmax", "layer_norm"))]
    ours = turns.Served([options.program_kernels, "serve", *wanted])
    for element in options.types.split(","):
        for columns in map(int, options.columns.split(",")):
            for function in (softmax, layer_norm):
                compare(options, ours, function, columns, element)
    ours.close()


if __name__ == "__main__":
    main()
