"""The classifier 784-2048-2048-10 in training on the processor: a step beside the least that it takes, and beside PyTorch.

    python3 bench/mlp.py [build] [--threads 2] [--batch 256] [--seconds 0.5] [--rounds 10]

The least is measured in turns with the steps: the products one by one with nothing around them, as PyTorch computes them
in f32 or, where the processor has instructions for it, bf16, and as mpc's runtime cuts them in the precision of the step
(build/bench/product-times); and what AdamW must move, once, at the rate of a copy (floors/gpt2.py). The floor has the
faster of the two products. Biases, relu, the loss and clipping count as free. PyTorch trains in f32 with its fused
AdamW, and in bf16 where there are instructions for it. Printed are medians and the least of all rounds, and the median
of what the floor and the step of the same round are to each other. It needs a Python that has PyTorch.
"""
import argparse
import pathlib
import statistics
import tempfile
import textwrap
import time

import torch

from attention import run
from floors.gpt2 import UPDATE_BYTES, copy_seconds, has_bf16, own_products_of, own_seconds, products_of
from gpu.turns import Served, take_turns

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = (784, 2048, 2048, 10)
LR, DECAY, CLIP = 1e-3, 0.01, 1.0
NAMES = {"fp32": "f32", "bf16": "bf16", "fp16": "f16"}
PARAMETERS = sum(start * to + to for start, to in zip(SIZES, SIZES[1:]))


def model(batch, precision):
    arguments = [f'%x0: tensor<{batch}x{SIZES[0]}xf32> {{graph.input = "x"}}',
                 f'%label: tensor<{batch}xi32> {{graph.input = "label"}}']
    body = []
    for layer, (start, to) in enumerate(zip(SIZES, SIZES[1:])):
        x, w, b, y = (f"tensor<{shape}xf32>" for shape in (f"{batch}x{start}", f"{start}x{to}", to, f"{batch}x{to}"))
        arguments += [f'%w{layer}: {w} {{graph.parameter = "w{layer}", graph.init = #graph.normal<0.0, 0.03>}}',
                      f'%b{layer}: {b} {{graph.parameter = "b{layer}", graph.init = #graph.zeros}}']
        body += [f"%p{layer} = graph.matmul %x{layer}, %w{layer} : ({x}, {w}) -> {y}",
                 f"%s{layer} = graph.add %p{layer}, %b{layer} : ({y}, {b}) -> {y}",
                 f"%x{layer + 1} = graph.relu %s{layer} : {y}"]
    body[-1] = (f"%loss = graph.cross_entropy %s{layer}, %label : "
                f"(tensor<{batch}x{SIZES[-1]}xf32>, tensor<{batch}xi32>) -> tensor<f32>")
    scale = 'loss_scale = #graph.loss_scale<mode = "dynamic">, ' if precision == "fp16" else ""
    return textwrap.dedent("""\
        func.func @mlp(
            {arguments})
            -> (tensor<f32> {{graph.loss}})
            attributes {{graph.training = #graph.training<precision = "{precision}", {scale}
              optimizer = #graph.optimizer<name = "adamw", lr = {lr}, weight_decay = {decay}>,
              clip = #graph.clip<norm = {clip}>>}} {{
          {body}
          return %loss : tensor<f32>
        }}
        """).format(arguments=",\n    ".join(arguments), body="\n  ".join(body), precision=precision, scale=scale, lr=LR,
                    decay=DECAY, clip=CLIP)


def repeated(function):
    """A peer that calls `function` for as long as it is told."""
    def peer(seconds):
        begin, count, spent = time.perf_counter(), 0, 0.0
        while spent < seconds or count == 0:
            function()
            count += 1
            spent = time.perf_counter() - begin
        return spent / count
    return peer


def mpc_peer(options, folder, precision):
    path = folder / f"{precision}.mlir"
    path.write_text(model(options.batch, precision))
    program = path.with_suffix(".mpcx")
    run(options.build / "bin/mpc-compile", path, "-o", program, "--target=cpu")
    return Served([options.build / "bench/program-steps", "serve", "--threads", str(options.threads), program]).peer(
        program.stem)


def products_peer(options, element):
    """All products of a step; the input has no gradient."""
    calls = [call for layer, (start, to) in enumerate(zip(SIZES, SIZES[1:]))
             for call in products_of(options.batch, start, to, element)[0 if layer else 1:]]
    return repeated(lambda: [call() for call in calls])


def own_products_peer(options, name):
    """The same by mpc; gradients of weights have the type of their operands."""
    calls = [call.removesuffix(":wide") for layer, (start, to) in enumerate(zip(SIZES, SIZES[1:]))
             for number, call in enumerate(own_products_of(options.batch, start, to, name)) if layer or number != 1]
    return lambda _: sum(own_seconds(options, calls))


def torch_peer(options, element):
    layers = [torch.nn.Linear(start, to) for start, to in zip(SIZES, SIZES[1:])]
    network = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2])
    optimizer = torch.optim.AdamW(network.parameters(), lr=LR, weight_decay=DECAY, fused=True)
    x, label = torch.rand(options.batch, SIZES[0]), torch.randint(SIZES[-1], (options.batch,))

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=element == torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(network(x).float(), label)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        loss.item()
    return repeated(step)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each sample")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    half = torch.bfloat16 if has_bf16() else torch.float32
    elements = {"fp32": torch.float32, "bf16": half, "fp16": torch.float32}
    with tempfile.TemporaryDirectory() as folder:
        peers = {precision: mpc_peer(options, pathlib.Path(folder), precision) for precision in elements}
        peers |= {element: products_peer(options, element) for element in set(elements.values())}
        peers |= {("own", name): own_products_peer(options, name) for name in NAMES.values()}
        peers |= {("PyTorch", element): torch_peer(options, element) for element in set(elements.values())}
        peers["update"] = lambda _: copy_seconds(UPDATE_BYTES * PARAMETERS)
        samples = take_turns(peers, options.rounds, options.seconds)

    print("| | step, ms, median | least | products by PyTorch, ms | by mpc | update | floor against step | PyTorch, ms "
          "| against it |\n|---|---|---|---|---|---|---|---|---|")
    for precision, element in elements.items():
        steps, theirs = samples[precision], samples["PyTorch", element if precision == "bf16" else torch.float32]
        own = samples["own", NAMES[precision]]
        faster = min(samples[element], own, key=statistics.median)
        floors = [sum(parts) for parts in zip(faster, samples["update"])]
        share = statistics.median(floor / step for floor, step in zip(floors, steps))
        ratio = statistics.median(slow / fast for slow, fast in zip(theirs, steps))
        milliseconds = [1e3 * statistics.median(times) for times in (samples[element], own, samples["update"], theirs)]
        print(f"| {precision} | {1e3 * statistics.median(steps):.1f} | {1e3 * min(steps):.1f} | {milliseconds[0]:.1f} | "
              f"{milliseconds[1]:.1f} | {milliseconds[2]:.1f} | {share:.2f} ({min(floors) / min(steps):.2f} of the least) | "
              f"{milliseconds[3]:.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
