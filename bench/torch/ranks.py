"""Measures what ranks cost PyTorch's DDP: the GPT of bench/ranks.py by R processes of T / R threads, against one of T threads.

    python3 bench/torch/ranks.py [--threads 2] [--ranks 1,2] [--steps 40] [--rounds 3] [--precision fp32]
                                 [--batch 16] [--layers 4] [--width 128] [--heads 4] [--context 128]

As there: the same samples a step however many ranks share them, rounds in turns, of a run the median of its steps but
for the first five, of the rounds the median. Gradients go by Gloo in DDP's own buckets; AdamW is the fused one. It
needs a Python that has PyTorch.
"""
import argparse
import os
import pathlib
import random
import statistics
import sys
import time

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from gpt_torch import Size, cross_entropy, initial_weights  # noqa: E402, in the folder above

VOCABULARY, WARM_UP = 84, 5


class Gpt(torch.nn.Module):
    """The loss, as a module whose parameters DDP finds."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.w = torch.nn.ParameterDict({name.replace(".", "/"): value for name, value in initial_weights(size).items()})

    def forward(self, tokens, labels):
        return cross_entropy(self.size, {name.replace("/", "."): value for name, value in self.w.items()}, tokens, labels)


def train(rank, ranks, options, port, times):
    torch.set_num_threads(max(1, options.threads // ranks))
    size = Size(VOCABULARY, options.layers, options.heads, options.width, options.context)
    model = Gpt(size)
    if ranks > 1:
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
        distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    torch.manual_seed(rank)
    tokens, labels = torch.randint(0, VOCABULARY, (2, options.batch // ranks, options.context))
    taken = []
    for _ in range(options.steps):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=options.precision == "bf16"):
            loss = model(tokens, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        taken.append(1e3 * (time.perf_counter() - begin))
    if rank == 0:
        times.put(statistics.median(taken[WARM_UP:]))
    if ranks > 1:
        distributed.destroy_process_group()


def time_step(options, ranks):
    """Median milliseconds of a step, in processes of its own."""
    times = multiprocessing.get_context("spawn").SimpleQueue()
    multiprocessing.spawn(train, (ranks, options, random.randrange(10000, 30000), times), nprocs=ranks)
    return times.get()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    for name, number in (("batch", 16), ("layers", 4), ("width", 128), ("heads", 4), ("context", 128)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    counts = [int(word) for word in options.ranks.split(",")]
    rounds = [{ranks: time_step(options, ranks) for ranks in counts} for _ in range(options.rounds)]
    print("| ranks | threads of each | ms a step | of one | least | most |\n|---|---|---|---|---|---|")
    for ranks in counts:
        ratios = [each[counts[0]] / each[ranks] for each in rounds]
        print(f"| {ranks} | {max(1, options.threads // ranks)} | {statistics.median(each[ranks] for each in rounds):.3g} | "
              f"{statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |")


if __name__ == "__main__":
    main()
