"""Makes expected.json: loss and gradients of Llama, BERT and ViT by PyTorch in f64.

    python3 expected.py > expected.json

Needs PyTorch and NumPy, which the test does not: it reads the file.
"""
import json
import re

import torch
import torch.nn.functional as F

import definitions as d


def heads(x, count):
    """[batch, time, count * width] -> [batch, count, time, width]"""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(2)


def linear(w, name, x):
    return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def llama(w, inputs):
    m = d.LLAMA
    cos, sin = (torch.from_numpy(table[:, 0]).tile(1, 2) for table in d.rotations())
    rotate = lambda x: x * cos + rotate_half(x) * sin
    norm = lambda x, name: F.rms_norm(x, (m["width"],), w[name + ".weight"], m["epsilon"])
    x = F.embedding(inputs["tokens"], w["embed_tokens.weight"])
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        y = norm(x, at + "input_layernorm")
        q = rotate(heads(linear(w, at + "q_proj", y), m["heads"]))
        k = rotate(heads(linear(w, at + "k_proj", y), m["key_heads"]))
        v = heads(linear(w, at + "v_proj", y), m["key_heads"])
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + linear(w, at + "o_proj", joined(mixed))
        y = norm(x, at + "post_attention_layernorm")
        x = x + linear(w, at + "down_proj", F.silu(linear(w, at + "gate_proj", y)) * linear(w, at + "up_proj", y))
    logits = linear(w, "lm_head", norm(x, "norm"))
    return F.cross_entropy(logits.flatten(0, 1), inputs["labels"].flatten())


def attend(w, at, x, m, mask=None):
    q, k, v = (heads(linear(w, at + name, x), m["heads"]) for name in ("query", "key", "value"))
    return linear(w, at + "output", joined(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


def layer_norm(w, name, x, m):
    return F.layer_norm(x, (m["width"],), w[name + ".weight"], w[name + ".bias"], m["epsilon"])


def mlp(w, at, x):
    return linear(w, at + "down", F.gelu(linear(w, at + "up", x)))


def bert(w, inputs):
    m = d.BERT
    x = F.embedding(inputs["tokens"], w["words.weight"]) + w["positions.weight"]
    x = layer_norm(w, "norm", x + F.embedding(inputs["types"], w["types.weight"]), m)
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        x = layer_norm(w, at + "norm1", x + attend(w, at, x, m, inputs["seen"]), m)
        x = layer_norm(w, at + "norm2", x + mlp(w, at, x), m)
    pooled = torch.tanh(linear(w, "pooler", x[:, 0]))
    y = layer_norm(w, "transform_norm", F.gelu(linear(w, "transform", x)), m)
    logits = F.linear(y, w["words.weight"], w["decoder.bias"])
    return (F.cross_entropy(logits.flatten(0, 1), inputs["labels"].flatten())
            + F.cross_entropy(linear(w, "next", pooled), inputs["next"]))


def vit(w, inputs):
    m = d.VIT
    kernel = w["patch.weight"].unflatten(1, (m["channels"], m["patch"], m["patch"]))
    x = F.conv2d(inputs["image"], kernel, w["patch.bias"], stride=m["patch"]).flatten(2).transpose(1, 2)
    x = torch.cat((w["class_token"].expand(m["batch"], 1, -1), x), dim=1) + w["positions"]
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        x = x + attend(w, at, layer_norm(w, at + "norm1", x, m), m)
        x = x + mlp(w, at, layer_norm(w, at + "norm2", x, m))
    logits = linear(w, "head", layer_norm(w, "norm", x, m)[:, 0])
    return F.cross_entropy(logits, inputs["labels"], label_smoothing=m["smoothing"])


def to_torch(array):
    tensor = torch.from_numpy(array)
    return tensor.double() if tensor.is_floating_point() else tensor.long() if tensor.dtype == torch.int32 else tensor


def main():
    answers = {"pytorch": torch.__version__.split("+")[0]}
    for model in (llama, bert, vit):
        name = model.__name__
        w = {key: to_torch(value).requires_grad_() for key, value in d.weights(name).items()}
        loss = model(w, {key: to_torch(value) for key, value in d.inputs(name).items()})
        loss.backward()
        answers[name] = {"loss": loss.item(),
                         "gradients": {key: d.measures(value.grad.numpy()) for key, value in w.items()}}
    # A line for each parameter.
    print(re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", json.dumps(answers, indent=1)))


if __name__ == "__main__":
    main()
