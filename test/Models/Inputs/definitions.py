"""Llama, BERT and ViT, small: what they are fed, and their parameters. Read by who writes them in the graph dialect
(graphs.py) and by who computes what is expected (expected.py)."""
import numpy as np

LLAMA = dict(batch=2, context=9, vocabulary=37, width=32, layers=2, heads=4, key_heads=2, hidden=48, theta=10000.0,
             epsilon=1e-5)
BERT = dict(batch=3, context=7, vocabulary=29, width=24, layers=2, heads=3, hidden=40, types=2, epsilon=1e-12)
VIT = dict(batch=2, channels=3, size=8, patch=4, width=24, layers=2, heads=3, hidden=40, classes=5, epsilon=1e-6,
           smoothing=0.1)


def linear(name, start, to, bias=True):
    """As PyTorch stores it: [to, from]."""
    yield name + ".weight", (to, start)
    if bias:
        yield name + ".bias", (to,)


def norm(name, width):
    yield name + ".weight", (width,)
    yield name + ".bias", (width,)


def llama_parameters():
    m = LLAMA
    head = m["width"] // m["heads"]
    yield "embed_tokens.weight", (m["vocabulary"], m["width"])
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        yield at + "input_layernorm.weight", (m["width"],)
        yield from linear(at + "q_proj", m["width"], m["width"], bias=False)
        yield from linear(at + "k_proj", m["width"], m["key_heads"] * head, bias=False)
        yield from linear(at + "v_proj", m["width"], m["key_heads"] * head, bias=False)
        yield from linear(at + "o_proj", m["width"], m["width"], bias=False)
        yield at + "post_attention_layernorm.weight", (m["width"],)
        yield from linear(at + "gate_proj", m["width"], m["hidden"], bias=False)
        yield from linear(at + "up_proj", m["width"], m["hidden"], bias=False)
        yield from linear(at + "down_proj", m["hidden"], m["width"], bias=False)
    yield "norm.weight", (m["width"],)
    yield from linear("lm_head", m["width"], m["vocabulary"], bias=False)


def encoder_parameters(at, m):
    for name in ("query", "key", "value", "output"):
        yield from linear(at + name, m["width"], m["width"])
    yield from norm(at + "norm1", m["width"])
    yield from linear(at + "up", m["width"], m["hidden"])
    yield from linear(at + "down", m["hidden"], m["width"])
    yield from norm(at + "norm2", m["width"])


def bert_parameters():
    m = BERT
    for name, rows in (("words", m["vocabulary"]), ("positions", m["context"]), ("types", m["types"])):
        yield name + ".weight", (rows, m["width"])
    yield from norm("norm", m["width"])
    for layer in range(m["layers"]):
        yield from encoder_parameters(f"layers.{layer}.", m)
    yield from linear("pooler", m["width"], m["width"])
    yield from linear("next", m["width"], 2)
    yield from linear("transform", m["width"], m["width"])
    yield from norm("transform_norm", m["width"])
    yield "decoder.bias", (m["vocabulary"],)


def vit_parameters():
    m = VIT
    patches = (m["size"] // m["patch"]) ** 2
    yield from linear("patch", m["channels"] * m["patch"] ** 2, m["width"])
    yield "class_token", (m["width"],)
    yield "positions", (patches + 1, m["width"])
    for layer in range(m["layers"]):
        yield from encoder_parameters(f"layers.{layer}.", m)
    yield from norm("norm", m["width"])
    yield from linear("head", m["width"], m["classes"])


PARAMETERS = {"llama": llama_parameters, "bert": bert_parameters, "vit": vit_parameters}


def weights(model):
    random = np.random.default_rng(7)
    scale = lambda shape: 0.3 if len(shape) == 1 else 1 / np.sqrt(shape[-1])
    mean = lambda name: 1 if "norm" in name and name.endswith("weight") else 0
    return {name: random.normal(mean(name), scale(shape), shape).astype(np.float32)
            for name, shape in PARAMETERS[model]()}


def llama_inputs(random):
    m = LLAMA
    stream = random.integers(0, m["vocabulary"], (m["batch"], m["context"] + 1)).astype(np.int32)
    labels = stream[:, 1:].copy()
    labels[0, :3] = -100  # a prompt, of which nothing is learned
    return {"tokens": np.ascontiguousarray(stream[:, :-1]), "labels": labels}


def bert_inputs(random):
    m = BERT
    shape = (m["batch"], m["context"])
    length = np.array([[7], [4], [5]])
    labels = random.integers(0, m["vocabulary"], shape).astype(np.int32)
    place = np.arange(m["context"])
    return {"tokens": random.integers(0, m["vocabulary"], shape).astype(np.int32),
            "types": (place >= 3).astype(np.int32) * np.ones(shape, np.int32),
            "seen": (place < length).reshape(m["batch"], 1, 1, m["context"]),
            "labels": np.where((place % 3 == 1) & (place < length), labels, -100).astype(np.int32),
            "next": np.array([1, 0, 1], np.int32)}


def vit_inputs(random):
    m = VIT
    return {"image": random.normal(0, 1, (m["batch"], m["channels"], m["size"], m["size"])).astype(np.float32),
            "labels": random.integers(0, m["classes"], m["batch"]).astype(np.int32)}


def inputs(model):
    return {"llama": llama_inputs, "bert": bert_inputs, "vit": vit_inputs}[model](np.random.default_rng(11))


def rotations():
    """Cosine and sine of each position and pair: [context, 1, head width / 2]."""
    m = LLAMA
    half = m["width"] // m["heads"] // 2
    angles = np.arange(m["context"])[:, None] * m["theta"] ** (-np.arange(half) / half)
    return np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]


def measures(gradient):
    """Norm, and product with numbers that no two elements share."""
    flat = np.asarray(gradient, np.float64).ravel()
    return [float(np.sqrt((flat * flat).sum())), float((flat * np.cos(np.arange(1, flat.size + 1))).sum())]
