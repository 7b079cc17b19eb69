"""GPT-2 in PyTorch with the parameters of examples/gpt/model.py, for the benchmarks beside it."""
import json
import math

import torch
import torch.nn.functional as F


class Size:
    def __init__(self, vocabulary, layers, heads, width, context, positions=None):
        self.vocabulary, self.layers, self.heads, self.width = vocabulary, layers, heads, width
        self.context, self.positions = context, positions or context


def initial_weights(size):
    """As GPT-2 begins, with the names and shapes of Hugging Face."""
    torch.manual_seed(1234)
    width = size.width
    weights = {"wte.weight": torch.randn(size.vocabulary, width) * 0.02,
               "wpe.weight": torch.randn(size.positions, width) * 0.02}
    for layer in range(size.layers):
        at = f"h.{layer}."
        for name, start, to in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width),
                                ("mlp.c_fc", width, 4 * width), ("mlp.c_proj", 4 * width, width)):
            stddev = 0.02 / math.sqrt(2 * size.layers) if name.endswith("c_proj") else 0.02
            weights[f"{at}{name}.weight"] = torch.randn(start, to) * stddev
            weights[f"{at}{name}.bias"] = torch.zeros(to)
        for name in ("ln_1", "ln_2"):
            weights[f"{at}{name}.weight"], weights[f"{at}{name}.bias"] = torch.ones(width), torch.zeros(width)
    weights["ln_f.weight"], weights["ln_f.bias"] = torch.ones(width), torch.zeros(width)
    return weights


def logits(size, w, tokens):
    width, context = size.width, size.context

    def norm(x, name):
        return F.layer_norm(x, (width,), w[name + ".weight"], w[name + ".bias"])

    def linear(x, name):
        return F.linear(x, w[name + ".weight"].T, w[name + ".bias"])

    x = w["wte.weight"][tokens] + w["wpe.weight"][:context]
    for layer in range(size.layers):
        at = f"h.{layer}"
        heads = linear(norm(x, at + ".ln_1"), at + ".attn.c_attn").view(-1, context, 3, size.heads, width // size.heads)
        mixed = F.scaled_dot_product_attention(*heads.permute(2, 0, 3, 1, 4), is_causal=True)
        x = x + linear(mixed.transpose(1, 2).reshape(-1, context, width), at + ".attn.c_proj")
        wide = F.gelu(linear(norm(x, at + ".ln_2"), at + ".mlp.c_fc"), approximate="tanh")
        x = x + linear(wide, at + ".mlp.c_proj")
    return F.linear(norm(x, "ln_f"), w["wte.weight"])


def cross_entropy(size, w, tokens, labels):
    return F.cross_entropy(logits(size, w, tokens).float().flatten(0, 1), labels.flatten())


class Training:
    """One step of training at a time, as the model's recipe has it: decay of matrices alone, clipping by norm."""

    def __init__(self, size, start, element, betas, decay, clip, compiled=False, **options):
        self.size, self.element, self.clip = size, element, clip
        self.w = {name: value.clone().requires_grad_() for name, value in start.items()}
        groups = [{"params": [p for p in self.w.values() if p.ndim >= 2], "weight_decay": decay},
                  {"params": [p for p in self.w.values() if p.ndim < 2], "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=betas, eps=1e-8, **options)
        self.loss = torch.compile(cross_entropy) if compiled else cross_entropy

    def step(self, tokens, labels, lr):
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.element == torch.bfloat16):
            loss = self.loss(self.size, self.w, tokens, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.w.values(), self.clip)
        self.optimizer.step()
        return loss.item()


def write_safetensors(path, weights):
    header, parts, at = {}, [], 0
    for name, tensor in weights.items():
        parts.append(tensor.numpy().astype("<f4").tobytes())
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(parts[-1])]}
        at += len(parts[-1])
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))
