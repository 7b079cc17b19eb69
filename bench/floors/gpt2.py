"""What a step of GPT-2 on this processor takes at least: its products, its attention and the bytes of its update, each alone.

A floor is measured between steps, in the same run (gpt2.py). Products are computed twice, matrix by matrix with nothing
around them: by PyTorch, in f32 or, where the processor has instructions for it, bf16, and as mpc's runtime cuts them
(build/bench/product-times). Where PyTorch's take longer than those, they are no floor. Attention is mpc's own, one layer
alone. The update is what AdamW must move, once, at the rate of a copy. Norms, activations, loss, embedding and
clipping count as free.
"""
import statistics
import subprocess
import time

import torch

from attention import Case, compile_case
from gpt_torch import initial_weights
from gpu.turns import Served

# Of one parameter: master weight and two moments are read and written; its gradient is read, in f32, or in 16 bits,
# and then a copy in 16 bits is written.
UPDATE_BYTES = 3 * 8 + 4


def median_time(function, count=3):
    function()
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def products_of(rows, inner, columns, element):
    """Calls that make the gradient of its input, what a product is, and the gradient of its weight, as they lie:
    x [rows, inner], w [inner, columns]."""
    x, w, dy = (torch.randn(shape).to(element) for shape in ((rows, inner), (inner, columns), (rows, columns)))
    return [lambda left=left, right=right: torch.mm(left, right) for left, right in ((dy, w.t()), (x, w), (x.t(), dy))]


def product_times(rows, inner, columns, element):
    return sum(median_time(call) for call in products_of(rows, inner, columns, element))


def products(options, element):
    tokens, width = options.batch * options.context, options.width
    layer = sum(product_times(tokens, inner * width, columns * width, element)
                for inner, columns in ((1, 3), (1, 1), (1, 4), (4, 1)))
    return options.layers * layer + product_times(tokens, width, options.vocabulary, element)


def own_products_of(rows, inner, columns, element, by_rows=True):
    """The same for product-times: what a product is, the gradient of its input and, in f32, that of its weight. The
    weight lies by rows of its inputs, or else of its outputs."""
    lies = "" if by_rows else ":right"
    weight = f"{inner}x{rows}x{columns}" if by_rows else f"{columns}x{rows}x{inner}"
    return [f"{element}:{rows}x{inner}x{columns}{lies}",
            f"{element}:{rows}x{columns}x{inner}{':right' if by_rows else ''}", f"{element}:{weight}:left:wide"]


def own_seconds(options, products):
    """Seconds of each product, as mpc's runtime cuts it."""
    command = [options.build / "bench/product-times", "--threads", str(options.threads), *products]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line.split()[0]) for line in text.splitlines()]


def own_products(options, element):
    tokens, width = options.batch * options.context, options.width
    layer = [product for inner, columns in ((1, 3), (1, 1), (1, 4), (4, 1))
             for product in own_products_of(tokens, inner * width, columns * width, element)]
    seconds = own_seconds(options, layer + own_products_of(tokens, width, options.vocabulary, element, by_rows=False))
    return options.layers * sum(seconds[:len(layer)]) + sum(seconds[len(layer):])


def attention(options, element, folder):
    """Of all layers, forward and backward."""
    case = Case(element, options.context, options.width // options.heads, batch=options.batch, heads=options.heads)
    seconds = 0
    for backward in (False, True):
        program = compile_case(case, backward, folder, options)
        served = Served([options.build / "bench/program-steps", "serve", "--entry", "forward", "--threads",
                         str(options.threads), program])
        seconds += served.peer(program.stem)(0.3)
        served.close()
    return options.layers * seconds


def copy_seconds(count):
    """To read and write `count` bytes in all."""
    source = torch.ones(1 << 26)
    target = torch.empty_like(source)
    return count / (2 * source.nbytes) * median_time(lambda: target.copy_(source), 5)


def has_bf16():
    with open("/proc/cpuinfo") as file:
        flags = next(line for line in file if line.startswith("flags")).split()
    return "avx512_bf16" in flags or "amx_bf16" in flags


def measure(options, size, is_half, folder):
    """Seconds of products by PyTorch and by mpc, of attention and of the update, of steps in f32 or in bf16 with f32
    master weights."""
    torch.set_num_threads(options.threads)
    parameters = sum(weight.numel() for weight in initial_weights(size).values())
    name = "bf16" if is_half else "f32"
    return [products(options, torch.bfloat16 if is_half and has_bf16() else torch.float32), own_products(options, name),
            attention(options, name, folder), copy_seconds(UPDATE_BYTES * parameters)]
