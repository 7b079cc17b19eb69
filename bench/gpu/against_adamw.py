"""The update of GPT-2's 124 million parameters against PyTorch.

usage: against_adamw.py KERNELS_CHECK [--rounds 10] [--seconds 0.3]

Ours: finite check and norm in one launch, then unscale, clip, AdamW, skip and
16-bit copies in one. PyTorch: GradScaler.unscale_, clip_grad_norm_ and fused
AdamW, called one by one and as a CUDA graph. Its gradients are f32, as autocast
leaves them; ours are in the type of the row.
"""
import argparse
import json

import turns
import torch_peers
from torch_peers import torch


def gpt2_shapes(width=768, words=50257, layers=12):
    shapes = [(words, width), (1024, width)]
    for _ in range(layers):
        shapes += [(width,), (width,), (width, 3 * width), (3 * width,), (width, width), (width,),
                   (width,), (width,), (width, 4 * width), (4 * width,), (4 * width, width), (width,)]
    return shapes + [(width,), (width,)]


def make_update(scaled):
    """A step of PyTorch after the backward pass."""
    parameters = [torch.nn.Parameter(0.02 * torch.randn(shape, device="cuda")) for shape in gpt2_shapes()]
    for parameter in parameters:
        parameter.grad = 1e-3 * torch.randn_like(parameter)
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True,
                                  capturable=True)
    # A scale of 1, and a norm below the bound: gradients are read and written as
    # ever, and keep their values however often that is done.
    scaler = torch.amp.GradScaler("cuda", init_scale=1.0, growth_interval=2**30, enabled=scaled)
    scaler.scale(torch.ones((), device="cuda"))

    def update():
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(parameters, 1e9, foreach=True)
        scaler.step(optimizer)
        scaler.update()

    return update


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernels_check")
    turns.add_options(parser)
    options = parser.parse_args()
    ours = turns.Served([options.kernels_check, "serve"])
    copy, copy_bytes = torch_peers.copy_peer()
    updates = {True: make_update(True), False: make_update(False)}
    elements = sum(torch.Size(shape).numel() for shape in gpt2_shapes())

    for element, is_scaled in (("f16", True), ("bf16", False), ("f32", True)):
        name = f"norm+adamw {element} gpt2"
        moved = elements * (2 * {"f32": 4}.get(element, 2) + 26)
        def rates(samples, moved=moved):
            rate = [copy_bytes / sample for sample in samples["copy"]]
            ours_rate = [moved / sample for sample in samples["ours"]]
            middle = len(rate) // 2
            return {"of copy": round(sorted(ours_rate)[middle] / sorted(rate)[middle], 3)}
        peers = {"ours": ours.peer(name)}
        update = updates[is_scaled]
        turns.add_peer(peers, "torch", lambda: torch_peers.timed(update))
        turns.add_peer(peers, "torch graph", lambda: torch_peers.timed(torch_peers.captured(update)))
        peers["copy"] = copy
        turns.compare(name, peers, options.rounds, options.seconds, rates)
    # AdamW alone, at its 28 bytes per parameter.
    for element in ("f16", "bf16"):
        peers = {"ours": ours.peer(f"adamw {element} gpt2"), "copy": ours.peer("copy")}
        samples = turns.take_turns(peers, options.rounds, options.seconds)
        middle = {name: sorted(values)[len(values) // 2] for name, values in samples.items()}
        rate = 28 * elements / middle["ours"]
        print(json.dumps({"benchmark": f"adamw {element}, 28 bytes per parameter",
                          "ours us": round(1e6 * middle["ours"], 3), "GB/s": round(rate * 1e-9, 1),
                          "of copy": round(rate * middle["copy"] / 2**30, 3)}), flush=True)
    ours.close()


if __name__ == "__main__":
    main()
