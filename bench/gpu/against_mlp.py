"""A training step of the classifier 784-512-512-10, batch 128, against PyTorch.

usage: against_mlp.py PROGRAM_STEPS MODELS [--rounds 10] [--seconds 0.3]

MODELS: mlp-fp32.mpcx, mlp-bf16.mpcx and mlp-fp16.mpcx. PyTorch trains with
autocast, clip_grad_norm_ and fused AdamW, with GradScaler for fp16: as
torch.compile(mode="reduce-overhead") has it, and with the whole step in one
CUDA graph. Each step of each peer takes a new batch, in the precision of the
row, from memory of the host (pinned, for PyTorch).
"""
import argparse
import json
import pathlib
import statistics

import turns
import torch_peers
from torch_peers import torch

BATCH, CLASSES = 128, 10
torch.set_float32_matmul_precision("high")


class Trainer:
    def __init__(self, precision, mode):
        self.precision = precision
        model = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512),
                                    torch.nn.ReLU(), torch.nn.Linear(512, CLASSES)).cuda()
        self.parameters = list(model.parameters())
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-3, weight_decay=0.01, fused=True, capturable=True)
        self.scaler = torch.amp.GradScaler("cuda", enabled=precision == "fp16")
        dtype = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}[precision]
        self.dtype = dtype
        self.x = torch.rand(BATCH, 784, device="cuda", dtype=dtype)
        self.label = torch.randint(CLASSES, (BATCH,), device="cuda")
        self.batches = [(torch.rand(BATCH, 784).to(dtype).pin_memory(), torch.randint(CLASSES, (BATCH,)).pin_memory())
                        for _ in range(8)]
        self.steps = 0
        self.loss_of = torch.compile(lambda x, label: torch.nn.functional.cross_entropy(model(x), label), mode=mode)

    def take_batch(self):
        x, label = self.batches[self.steps % len(self.batches)]
        self.steps += 1
        self.x.copy_(x, non_blocking=True)
        self.label.copy_(label, non_blocking=True)

    def compute(self):
        # The cache of casts outlives a captured graph.
        with torch.autocast("cuda", dtype=self.dtype, enabled=self.precision != "fp32", cache_enabled=False):
            loss = self.loss_of(self.x, self.label)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)


def step_of_compile(precision):
    trainer = Trainer(precision, "reduce-overhead")

    def step():
        trainer.take_batch()
        torch.compiler.cudagraph_mark_step_begin()
        trainer.compute()

    return step


def step_of_graph(precision):
    trainer = Trainer(precision, "default")
    replay = torch_peers.captured(trainer.compute)

    def step():
        trainer.take_batch()
        replay()

    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program_steps")
    parser.add_argument("models", type=pathlib.Path)
    turns.add_options(parser)
    options = parser.parse_args()
    programs = {precision: options.models / f"mlp-{precision}.mpcx" for precision in ("fp32", "bf16", "fp16")}
    ours = turns.Served([options.program_steps, "serve", "--tune", "3000", "--tf32", *map(str, programs.values())])
    for precision in programs:
        peers = {"ours": ours.peer(f"mlp-{precision}")}
        turns.add_peer(peers, "compile", lambda: torch_peers.timed(step_of_compile(precision)))
        turns.add_peer(peers, "graph", lambda: torch_peers.timed(step_of_graph(precision)))
        turns.compare(f"mlp step {precision}", peers, options.rounds, options.seconds)
    # What scaling costs: fp16 beside bf16, in turns.
    peers = {"fp16": ours.peer("mlp-fp16"), "bf16": ours.peer("mlp-bf16")}
    samples = turns.take_turns(peers, options.rounds, options.seconds)
    middle = {name: 1e6 * statistics.median(values) for name, values in samples.items()}
    print(json.dumps({"benchmark": "loss scaling", "fp16 us": round(middle["fp16"], 3),
                      "bf16 us": round(middle["bf16"], 3),
                      "scaling us": round(middle["fp16"] - middle["bf16"], 3)}), flush=True)
    ours.close()


if __name__ == "__main__":
    main()
