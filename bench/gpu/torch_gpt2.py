"""What PyTorch makes of GPT-2 124M: the numbers to beat.

usage: torch_gpt2.py [--batch 32] [--time 1024] [--seconds 60]

Causal attention with 12 heads of 64, forward and backward, by each of its
kernels (flash, cuDNN), then a whole step of the model: torch.compile, bf16
autocast, fused AdamW, clipped by the norm. One JSON object per line. Stops when
`seconds` are over. Exit code 3: no PyTorch or no GPU.
"""
import argparse
import json
import time

from torch_peers import milliseconds, torch
from torch.nn.attention import SDPBackend, sdpa_kernel

F = torch.nn.functional
HEADS, SIZE, WIDTH, LAYERS, CLASSES = 12, 64, 768, 12, 50304


def line(**facts):
    print(json.dumps(facts), flush=True)


def time_attention(name, backend, batch, length):
    """Of the products alone; half of them are masked away."""
    shape = (batch, HEADS, length, SIZE)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    operations = 2 * 2 * batch * HEADS * length * length * SIZE / 2
    with sdpa_kernel(backend):
        forward = milliseconds(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        gradient = torch.randn_like(out)
        backward = milliseconds(lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True))
    line(attention=name, **{"forward ms": forward, "forward TFLOP/s": operations / forward * 1e-9,
                            "backward ms": backward, "backward TFLOP/s": 2.5 * operations / backward * 1e-9})


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, SIZE).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).split(WIDTH, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(torch.nn.Module):
    def __init__(self, length):
        super().__init__()
        self.tokens, self.places = torch.nn.Embedding(CLASSES, WIDTH), torch.nn.Embedding(length, WIDTH)
        self.blocks = torch.nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, tokens, labels):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        logits = self.norm(self.blocks(x)) @ self.tokens.weight.t()
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def time_step(batch, length):
    model = Gpt2(length).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, weight_decay=0.1, fused=True)
    tokens, labels = (torch.randint(CLASSES, (batch, length), device="cuda") for _ in range(2))
    loss_of = torch.compile(model)

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = loss_of(tokens, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    line(model="GPT-2 124M", batch=batch, time=length, **{"step ms": milliseconds(step)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--time", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    torch.set_float32_matmul_precision("high")
    for name, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("cuDNN", SDPBackend.CUDNN_ATTENTION)):
        try:
            time_attention(name, backend, options.batch, options.time)
        except RuntimeError as error:
            line(**{"missing peer": name, "why": str(error).splitlines()[0]})
    if time.monotonic() < end:
        time_step(options.batch, options.time)


if __name__ == "__main__":
    main()
