"""Trains a small GPT by mpc and by PyTorch, same weights, same windows, and compares the losses step by step.

    python3 examples/gpt/prepare.py DATA
    python3 bench/gpt.py DATA [build/bin] [--steps 500] [--seed 1] [--threads 2] [--check]

The model is examples/gpt/model.py's preset `shakespeare`. PyTorch draws the first weights; it takes the windows that
mpc-run's formulas give (include/mpc/Data/Random.h, Shuffle.h), of which this is a second implementation. In f32 every
loss must be within 1e-5 of PyTorch's f32, in bf16 and fp16 every 50th within 1 %. Printed is a table, or with --check a
line for each precision that is off; the exit code is 1 if one is. It needs a Python that has PyTorch and NumPy.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 4, 4, 128, 128, 16
LR, BETAS, DECAY, CLIP, WARMUP, FINAL = 1e-3, (0.9, 0.99), 0.1, 1.0, 50, 0.1
MASK = (1 << 64) - 1

# Name, options of mpc-compile, largest relative difference to PyTorch's f32, and at which steps.
PRECISIONS = [
    ("fp32", "--precision=fp32", 1e-5, 1),
    ("bf16", "--precision=bf16", 1e-2, 50),
    ("bf16, profile torch-cpu", "--profile=torch-cpu", 1e-2, 50),
    ("fp16", "--precision=fp16 --loss-scale=dynamic", 1e-2, 50),
]


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"gpt.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


# ---- Windows ------------------------------------------------------------------------------------


def mix(z):
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
    return z ^ (z >> 31)


def windows(stream, steps, seed):
    """Tokens and labels of each step: [BATCH, CONTEXT]."""
    places = len(stream) - CONTEXT  # of windows that a label follows
    per_epoch = (len(stream) - 1) // CONTEXT // BATCH
    for step in range(steps):
        key = mix((mix(seed) + step // per_epoch) & MASK)
        numbers = range(step % per_epoch * BATCH, (step % per_epoch + 1) * BATCH)
        starts = [mix((key + (number + 1) * 0x9e3779b97f4a7c15) & MASK) * places >> 64 for number in numbers]
        yield tuple(torch.from_numpy(np.stack([stream[start + offset:start + offset + CONTEXT] for start in starts])
                                     .astype(np.int64)) for offset in (0, 1))


# ---- PyTorch ------------------------------------------------------------------------------------


def initial_weights(vocabulary):
    torch.manual_seed(1234)
    weights = {"wte.weight": torch.randn(vocabulary, WIDTH) * 0.02, "wpe.weight": torch.randn(CONTEXT, WIDTH) * 0.02}
    for layer in range(LAYERS):
        at = f"h.{layer}."
        for name, start, to in (("attn.c_attn", WIDTH, 3 * WIDTH), ("attn.c_proj", WIDTH, WIDTH),
                                ("mlp.c_fc", WIDTH, 4 * WIDTH), ("mlp.c_proj", 4 * WIDTH, WIDTH)):
            stddev = 0.02 / math.sqrt(2 * LAYERS) if name.endswith("c_proj") else 0.02
            weights[f"{at}{name}.weight"] = torch.randn(start, to) * stddev
            weights[f"{at}{name}.bias"] = torch.zeros(to)
        for name in ("ln_1", "ln_2"):
            weights[f"{at}{name}.weight"], weights[f"{at}{name}.bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    weights["ln_f.weight"], weights["ln_f.bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    return weights


def logits(w, tokens):
    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), w[name + ".weight"], w[name + ".bias"])

    def linear(x, name):
        return F.linear(x, w[name + ".weight"].T, w[name + ".bias"])

    x = w["wte.weight"][tokens] + w["wpe.weight"]
    for layer in range(LAYERS):
        at = f"h.{layer}"
        heads = linear(norm(x, at + ".ln_1"), at + ".attn.c_attn").view(-1, CONTEXT, 3, HEADS, WIDTH // HEADS)
        mixed = F.scaled_dot_product_attention(*heads.permute(2, 0, 3, 1, 4), is_causal=True)
        x = x + linear(mixed.transpose(1, 2).reshape(-1, CONTEXT, WIDTH), at + ".attn.c_proj")
        wide = F.gelu(linear(norm(x, at + ".ln_2"), at + ".mlp.c_fc"), approximate="tanh")
        x = x + linear(wide, at + ".mlp.c_proj")
    return F.linear(norm(x, "ln_f"), w["wte.weight"])


def rate(step, steps):
    if step < WARMUP:
        return (step + 1) / WARMUP
    part = min(1, (step - WARMUP) / (steps - WARMUP))
    return FINAL + (1 - FINAL) * (1 + math.cos(math.pi * part)) / 2


def train_torch(start, stream, options, element):
    w = {name: value.clone().requires_grad_() for name, value in start.items()}
    groups = [{"params": [p for p in w.values() if p.ndim >= 2], "weight_decay": DECAY},
              {"params": [p for p in w.values() if p.ndim < 2], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=LR, betas=BETAS, eps=1e-8)
    losses = []
    for step, (tokens, labels) in enumerate(windows(stream, options.steps, options.seed)):
        for group in optimizer.param_groups:
            group["lr"] = LR * rate(step, options.steps)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", element, enabled=element != torch.float32):
            found = logits(w, tokens)
            loss = F.cross_entropy(found.float().flatten(0, 1), labels.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(w.values(), CLIP)
        optimizer.step()
        losses.append(loss.item())
    return losses


# ---- mpc ----------------------------------------------------------------------------------------


def write_safetensors(path, weights):
    header, data = {}, b""
    for name, tensor in weights.items():
        part = tensor.numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def train_mpc(folder, compile_options, options):
    program, metrics = folder / "gpt.mpcx", folder / "metrics.jsonl"
    run(options.binaries / "mpc-compile", folder / "gpt.mlir", "-o", program, "--target=cpu", *compile_options.split())
    stream = options.data / "train.npy"
    run(options.binaries / "mpc-run", "train", program, "--input", f"tokens={stream}", "--input", f"labels={stream}",
        "--window", "tokens", "--window", "labels=1", "--weights", folder / "start.safetensors", "--steps",
        options.steps, "--seed", options.seed, "--threads", options.threads, "--metrics", metrics)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [line["loss"] for line in lines], sum(bool(line.get("found_inf")) for line in lines)


def difference(losses, reference, every=1):
    return max(abs(a - b) / b for a, b in list(zip(losses, reference))[::every])


def describe(name, losses, reference, skipped):
    picked = " | ".join(f"{losses[step]:.4f}" for step in picked_steps(len(losses)))
    return (f"| {name} | {picked} | {difference(losses, reference):.1e} | {difference(losses, reference, 50):.1e} "
            f"| {skipped} |")


def picked_steps(steps):
    return sorted({step for step in (0, 10, 50, 100, 200, 300, 400) if step < steps} | {steps - 1})


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def main():
    options = read_options()
    torch.set_num_threads(options.threads)
    stream = np.load(options.data / "train.npy")
    vocabulary = len(json.loads((options.data / "vocabulary.json").read_text()))
    start = initial_weights(vocabulary)
    reference = train_torch(start, stream, options, torch.float32)
    if not options.check:
        heads = " | ".join(f"step {step}" for step in picked_steps(options.steps))
        print(f"| | {heads} | largest difference | at every 50th | skipped |\n" + "|---" * (heads.count("|") + 5) + "|")
        print(describe(f"PyTorch {torch.__version__}, f32", reference, reference, 0), flush=True)
        print(describe("PyTorch, bf16 autocast", train_torch(start, stream, options, torch.bfloat16), reference, 0),
              flush=True)
    off = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_safetensors(folder / "start.safetensors", start)
        (folder / "gpt.mlir").write_text(run(sys.executable, ROOT / "examples/gpt/model.py", "--vocabulary", vocabulary,
                                             "--steps", options.steps))
        for name, compile_options, bound, every in PRECISIONS:
            losses, skipped = train_mpc(folder, compile_options, options)
            if not options.check:
                print(describe(name, losses, reference, skipped), flush=True)
            if len(losses) != options.steps or not difference(losses, reference, every) <= bound:
                off += 1
                print(f"{name}: losses are {difference(losses, reference, every):.1e} off, bound {bound}",
                      file=sys.stderr)
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
