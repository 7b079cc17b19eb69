"""What a training step moves and multiplies on a GPU, and how long a card takes for it, without a card.

usage: step_model.py [--mpc-opt FILE] [--layers 12] [--batch 32] [--context 1024] [--precision bf16]
                     [--records] [--limit NAME=NUMBER ...] [--ranks N:MICROSECONDS:GBPS,... [--ddp-buckets]]
                     [--nvdisasm FILE]

Compiles GPT-2 (examples/gpt, width 768, 12 heads) with 2 and with 3 layers for target cuda, reads the records of the step
from mpc-opt, and prints what one more layer costs and what is there once: bytes that kernels of ours read and write,
records, launches (a kernel of several stages is several) and those of them where a kernel of ours follows another (its
launch could be a programmatic dependent one), floating-point operations of products and attention. The sum is turned
into milliseconds by rates of the two cards. These are measured on others' programs (copies and products at full size)
or said by NVIDIA (attention by cuDNN 9.19): a model of where time goes, not a measurement.

With --nvdisasm the instructions of our kernels are counted, too (sass.py), and a kernel takes as long as its bytes or its
instructions, whichever is longer; without it kernels are their bytes alone. `warp_ginst` are those of all warps, in 10^9.

--limit makes it a test: it fails where a figure of a layer is larger, `layer.kernel_mb=900`, or of the rest,
`rest.kernel_mb=12000`. --records lists the records of the step with three layers, the longest first.

--ranks adds what N ranks cost, of a link that begins after so many microseconds and moves so many GB/s from each rank:
the step is compiled for that link, and its all-reduces go on beside the records behind them, one after the other, each
2 (N - 1) / N of its bytes. What is exposed is how long the step waits for them. With --ddp-buckets it is compiled for
PyTorch's DDP instead: buckets of 25 MiB, and one of 1 MiB in front.
"""
import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import sass

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# Bytes per second of a copy, and operations per second of bf16 products as large as these on random data.
CARDS = {"H100": {"copy": 3.0e12, "product": 790e12}, "H200": {"copy": 4.3e12, "product": 790e12}}
SHARE_OF_COPY = 0.88     # of memory-bound kernels
SHARE_OF_PRODUCT = 0.87  # of products of a GPT, as llm.c has them
ATTENTION = {"forward": 290e12, "backward": 260e12}  # causal, width 64, T = 1024, of the operations that are needed
SECONDS_PER_LAUNCH = 1.0e-6                            # between nodes of a graph
# Instructions per second of 132 multiprocessors with 4 schedulers each, of which Nsight Compute found 78 % busy under the
# kernel that issues most (the loss, on an H200).
INSTRUCTIONS_PER_SECOND = 0.78 * 132 * 4 * 1.98e9

DDP_BUCKETS = (f"--bucket-bytes={25 << 20}", f"--first-bucket-bytes={1 << 20}")

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i1": 1}
FIGURES = ["kernel_mb", "warp_ginst", "call_mb", "product_tflop", "attention_tflop", "kernels", "products", "attentions", "lists", "launches",
           "own_pairs"]


def shape_of(memref):
    """Dims and element type of `memref<4x8xf32, strided<...>>`."""
    *dims, element = re.match(r"memref<([^,>]*)", memref).group(1).split("x")
    return [int(dim) for dim in dims], element


def bytes_of(memref):
    dims, element = shape_of(memref)
    return BYTES[element] * math.prod(dims)


MEMREF = r"memref<(?:[^<>]|<[^<>]*>)*>"


def operands_of(text):
    """Role ("" if it has none) and memref of each operand, of `ins(lhs %0 : memref<...>, ...)` or `ins(%0, %1 : ...)`."""
    if with_roles := re.findall(rf"(\w+) %\w+ : ({MEMREF})", text):
        return with_roles
    return [("", memref) for memref in re.findall(MEMREF, text)]


def count_product(operands):
    """Figures of a matmul, whose epilogue is taken to be fused. A broadcast operand is read once."""
    of = dict(operands)
    *batch, rows, inner = shape_of(of["lhs"])[0]
    matrices = math.prod(batch)
    moved = sum(bytes_of(memref) // (matrices if "strided<[0" in memref else 1) for _, memref in operands)
    return {"product_tflop": 2e-12 * matrices * rows * inner * shape_of(of["rhs"])[0][-1], "call_mb": moved / 1e6,
            "products": 1, "launches": 1}


def count_attention(operands, line):
    """Figures of an attention of [batch, time, heads, width]: of two products forward, of five backward."""
    of = dict(operands)
    batch, queries, heads, width = shape_of(of["query"])[0]
    products = 5 if "backward = true" in line else 2
    seen = shape_of(of["key"])[0][1] / (2 if "causal = true" in line else 1)
    return {"attention_tflop": products * 2e-12 * batch * heads * queries * seen * width,
            "call_mb": sum(bytes_of(memref) for _, memref in operands) / 1e6, "attentions": 1, "launches": 1}


Kernel = collections.namedtuple("Kernel", "bytes instructions")


def read_kernels(text, model, settings, options):
    """By name: what each kernel of a module in the exec dialect moves, and issues, where that is to be counted."""
    moved = {name: int(read) + int(written)
             for name, read, written in re.findall(r"exec\.kernel @(\w+) .*?reads = (\d+) writes = (\d+)", text)}
    if not options.nvdisasm:
        return {name: Kernel(count, 0) for name, count in moved.items()}
    program = model.with_suffix(".mpcx")
    run(options.mpc_opt.with_name("mpc-compile"), model, *settings, "-o", program)
    stages = sass.read_kernels(program, options.mpc_opt.with_name("dump-code"), options.nvdisasm, "sm_90")
    return {name: Kernel(count, sass.count_warp_instructions(stages[name], count)) for name, count in moved.items()}


class Record:
    """One record of the step: what it is called, and its figures."""

    def __init__(self, line, kernels):
        operands = operands_of(line)
        moved = sum(bytes_of(memref) for _, memref in operands) / 1e6
        if match := re.match(r"exec\.launch @(\w+)", line):
            self.name = match.group(1)
            figures = {"kernel_mb": kernels[self.name].bytes / 1e6, "warp_ginst": kernels[self.name].instructions / 1e9,
                       "kernels": 1, "launches": 1}
        elif line.startswith("exec.call #exec.matmul"):
            self.name = "matmul"
            figures = count_product(operands)
        elif line.startswith("exec.call #exec.attention"):
            self.name = "attention " + ("backward" if "backward = true" in line else "forward")
            figures = count_attention(operands, line)
        elif match := re.match(r"exec\.multi_tensor\s+(\w+)", line):
            self.name = match.group(1)
            figures = {"kernel_mb": moved, "lists": 1, "launches": 1}
        elif line.startswith(("exec.copy", "exec.fill")):
            self.name = line.split()[0]
            figures = {"kernel_mb": moved, "kernels": 1, "launches": 1}
        else:
            raise SystemExit(f"step_model: no figures for record '{line}'")
        self.figures = collections.Counter(figures)

    def seconds(self, card):
        rates = CARDS[card]
        moved = max(1e6 * self.figures["kernel_mb"] / (SHARE_OF_COPY * rates["copy"]),
                    1e9 * self.figures["warp_ginst"] / INSTRUCTIONS_PER_SECOND)
        multiplied = max(1e12 * self.figures["product_tflop"] / (SHARE_OF_PRODUCT * rates["product"]),
                         1e6 * self.figures["call_mb"] / rates["copy"] if self.figures["products"] else 0)
        attended = 1e12 * self.figures["attention_tflop"] / ATTENTION["backward" if "backward" in self.name else "forward"]
        return moved + multiplied + attended + SECONDS_PER_LAUNCH * self.figures["launches"]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def read_step(options, layers, folder):
    """The records of the step of a model of so many layers, and the launches of its generated kernels."""
    model = folder / f"gpt{layers}.mlir"
    model.write_text(run(sys.executable, SOURCE / "examples/gpt/model.py", "--preset", "gpt2", "--layers", layers,
                         "--batch", options.batch, "--context", options.context))
    settings = ["--target=cuda", f"--precision={options.precision}", "--reduce=none"]
    text = run(options.mpc_opt, model, "--compile-to=exec", *settings)
    kernels = read_kernels(text, model, settings, options)
    step = text[text.index("exec.entry @step"):]
    step = step[:step.index("\n  }")]
    lines = [line.strip() for line in step.splitlines()]
    steps = ("exec.launch", "exec.call", "exec.multi_tensor", "exec.copy", "exec.fill")
    records = [Record(line, kernels) for line in lines if line.startswith(steps)]
    groups = folder / f"group{layers}.mlir"
    groups.write_text(run(options.mpc_opt, model, "--compile-to=group", *settings))
    stages = len(re.findall(r"gpu\.func @\w+_step_", run(options.mpc_opt, groups, "--mpc-emit-kernels=gpu=sm_90")))
    launched = sum(line.startswith("exec.launch") for line in lines)
    if stages < launched:
        raise SystemExit(f"step_model: expected a stage or more of each of {launched} kernels, but found {stages}: "
                         "is the entry of a kernel still called @..._step_...?")
    return records, stages


def read_step_of_ranks(options, latency, bandwidth, folder):
    """The step of all layers, compiled for a link: records, and ("start", ticket, bytes), ("done", ticket, 0)."""
    model = folder / "gpt.mlir"
    model.write_text(run(sys.executable, SOURCE / "examples/gpt/model.py", "--preset", "gpt2", "--layers", options.layers,
                         "--batch", options.batch, "--context", options.context))
    link = DDP_BUCKETS if options.ddp_buckets else (f"--link-latency={latency}", f"--link-bandwidth={bandwidth}")
    settings = ["--target=cuda", f"--precision={options.precision}", *link]
    text = run(options.mpc_opt, model, "--compile-to=exec", *settings)
    kernels = read_kernels(text, model, settings, options)
    step = text[text.index("exec.entry @step"):]
    parts = []
    for line in step[:step.index("\n  }")].splitlines():
        line = line.strip()
        if match := re.match(r"(%\w+) = exec\.all_reduce_start", line):
            sources = line[:line.index(" outs(")]
            parts.append(("start", match.group(1), sum(bytes_of(memref) for _, memref in operands_of(sources))))
        elif match := re.match(r"exec\.all_reduce_done (%\w+)", line):
            parts.append(("done", match.group(1), 0))
        elif line.startswith(("exec.launch", "exec.call", "exec.multi_tensor", "exec.copy", "exec.fill")):
            parts.append(("record", Record(line, kernels), 0))
    return parts


def overlap(parts, card, ranks, latency, bandwidth):
    """Milliseconds: of the step alone, of its all-reduces, and that it waits for them; and how many there are."""
    now = waited = busy = free = 0.0
    done = {}
    for kind, what, count in parts:
        if kind == "record":
            now += what.seconds(card)
        elif kind == "start":
            seconds = latency * 1e-6 + 2 * (ranks - 1) / ranks * count / (bandwidth * 1e9)
            free = done[what] = max(now, free) + seconds
            busy += seconds
        else:
            waited += max(0.0, done[what] - now)
            now = max(now, done[what])
    return 1e3 * (now - waited), 1e3 * busy, 1e3 * waited, len(done)


def print_ranks(options):
    print(f"{'ranks':>8}{'us':>8}{'GB/s':>8}" + "".join(f"{card + ' ms':>12}{'waits ms':>10}{'share':>8}" for card in CARDS)
          + f"{'all-reduces':>13}{'their ms':>10}")
    for ranks, latency, bandwidth in options.ranks:
        with tempfile.TemporaryDirectory() as folder:
            parts = read_step_of_ranks(options, latency, bandwidth, pathlib.Path(folder))
        line = f"{ranks:8}{latency:8g}{bandwidth:8g}"
        for card in CARDS:
            alone, busy, waits, number = overlap(parts, card, ranks, latency, bandwidth)
            line += f"{alone:12.1f}{waits:10.2f}{100 * waits / (alone + waits):6.1f} %"
        print(line + f"{number:13}{busy:10.2f}")


def parse_ranks(text):
    try:
        fields = [part.split(":") for part in text.split(",")]
        return [(int(ranks), float(latency), float(bandwidth)) for ranks, latency, bandwidth in fields]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}': expected RANKS:MICROSECONDS:GBPS, several with commas")


def parse_limit(text):
    match = re.fullmatch(r"(layer|rest)\.(\w+)=(\d+(?:\.\d+)?)", text)
    if not match or match.group(2) not in [*FIGURES, *CARDS]:
        raise argparse.ArgumentTypeError(f"'{text}': expected layer.NAME=NUMBER or rest.NAME=NUMBER, with a NAME of "
                                         + ", ".join([*FIGURES, *CARDS]))
    place, name, bound = match.groups()
    return place, name, float(bound)


def total(records, stages):
    figures = collections.Counter()
    for record in records:
        figures.update(record.figures)
    more = stages - figures["kernels"]  # a record of each group was counted as one launch
    figures["launches"] += more
    own = [record.figures["kernels"] + record.figures["lists"] > 0 for record in records]
    figures["own_pairs"] = more + sum(first and second for first, second in zip(own, own[1:]))
    for card in CARDS:
        figures[card] = 1e3 * (sum(record.seconds(card) for record in records) + more * SECONDS_PER_LAUNCH)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpc-opt", default=SOURCE / "build/bin/mpc-opt", type=pathlib.Path,
                        help="mpc-compile and dump-code lie beside it")
    parser.add_argument("--nvdisasm", type=pathlib.Path, metavar="FILE",
                        help="of CUDA's toolkit, or of nvidia-cuda-nvdisasm from PyPI: count instructions, too")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--precision", default="bf16", choices=["bf16", "fp16", "fp32"])
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--limit", action="append", default=[], type=parse_limit, metavar="NAME=NUMBER")
    parser.add_argument("--ranks", default=[], type=parse_ranks)
    parser.add_argument("--ddp-buckets", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        two, three = (read_step(options, layers, pathlib.Path(folder)) for layers in (2, 3))
    small, large = total(*two), total(*three)
    layer = {name: large[name] - small[name] for name in [*FIGURES, *CARDS]}
    rest = {name: small[name] - 2 * layer[name] for name in layer}
    step = {name: rest[name] + options.layers * layer[name] for name in layer}

    tokens = options.batch * options.context
    print(f"a step of {options.layers} layers, {options.batch} x {options.context} tokens, {options.precision}")
    print(f"{'':18}{'a layer':>12}{'the rest':>12}{'the step':>12}")
    for name in layer:
        if name == "warp_ginst" and not options.nvdisasm:
            continue
        unit = " ms" if name in CARDS else ""
        print(f"{name + unit:18}" + "".join(f"{part[name]:12,.2f}" for part in (layer, rest, step)))
    for card in CARDS:
        print(f"{card}: {1e3 * tokens / step[card]:,.0f} tokens per second")
    if options.records:
        for record in sorted(three[0], key=lambda record: -record.seconds("H200")):
            print(f"{1e3 * record.seconds('H200'):9.3f} ms {record.figures['kernel_mb'] + record.figures['call_mb']:10,.1f} MB  {record.name}")
    if options.ranks:
        print_ranks(options)
    for place, name, bound in options.limit:
        found = {"layer": layer, "rest": rest}[place][name]
        if found > bound:
            raise SystemExit(f"step_model: expected {place}.{name} of at most {bound:g}, but got {found:,.2f}")


if __name__ == "__main__":
    main()
