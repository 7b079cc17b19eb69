"""GPT-2 from its definition, in f64, beside what mpc makes of examples/gpt.

usage: gpt.py text                   a text to learn, not a random one
       gpt.py weights FOLDER         weights as Hugging Face's files have them
       gpt.py gradients FOLDER       loss and gradients of step 1 are right
       gpt.py greedy FOLDER TOKENS   the tokens that follow, always the likeliest
       gpt.py falls METRICS          the loss does
       gpt.py states CHECKPOINT      names of what a checkpoint holds
"""
import json
import math
import pathlib
import struct
import sys

LAYERS, HEADS, WIDTH, CONTEXT, VOCABULARY, BATCH = 2, 2, 16, 8, 90, 4


def text():
    words = "nought one two three four five six seven eight nine".split()
    spell = lambda number: " ".join(words[int(digit)] for digit in str(number))
    return "".join(f"{spell(n)}: {'odd' if n % 2 else 'even'}, né {n}.\n" for n in range(300))


def read_safetensors(path):
    content = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8:8 + size]), content[8 + size:]


def shapes():
    yield "wte.weight", (VOCABULARY, WIDTH)
    yield "wpe.weight", (CONTEXT, WIDTH)
    for layer in range(LAYERS):
        at = f"h.{layer}."
        for norm in ("ln_1", "ln_2"):
            yield at + norm + ".weight", (WIDTH,)
            yield at + norm + ".bias", (WIDTH,)
        for name, start, to in (("attn.c_attn", WIDTH, 3 * WIDTH), ("attn.c_proj", WIDTH, WIDTH),
                                ("mlp.c_fc", WIDTH, 4 * WIDTH), ("mlp.c_proj", 4 * WIDTH, WIDTH)):
            yield at + name + ".weight", (start, to)
            yield at + name + ".bias", (to,)
    yield "ln_f.weight", (WIDTH,)
    yield "ln_f.bias", (WIDTH,)


def write_weights(folder):
    import numpy as np
    random = np.random.default_rng(5)
    tensors = {name: random.normal(1 if ".ln_" in "." + name and name.endswith("weight") else 0, 0.2, shape)
               for name, shape in shapes()}
    # What the files of the original have beside: masks of attention.
    tensors |= {f"h.{layer}.attn.bias": np.tril(np.ones((1, 1, CONTEXT, CONTEXT))) for layer in range(LAYERS)}
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = tensor.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    packed = json.dumps(header).encode()
    (folder / "gpt2.safetensors").write_bytes(struct.pack("<Q", len(packed)) + packed + data)
    stream = random.integers(0, VOCABULARY, 200, dtype=np.uint16)
    np.save(folder / "stream.npy", stream)


def load_weights(folder):
    import numpy as np
    header, data = read_safetensors(folder / "gpt2.safetensors")
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"]).astype(complex)
            for name, entry in header.items()}


def norm(x, weights, name):
    centred = x - x.mean(-1, keepdims=True)
    deviation = ((centred * centred).mean(-1, keepdims=True) + 1e-5) ** 0.5
    return centred / deviation * weights[name + ".weight"] + weights[name + ".bias"]


def linear(x, weights, name):
    return x @ weights[name + ".weight"] + weights[name + ".bias"]


def softmax(x):
    import numpy as np
    powers = np.exp(x - x.real.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention(x, weights, name):
    import numpy as np
    batch, time, width = x.shape
    heads = linear(x, weights, name + ".c_attn").reshape(batch, time, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
    query, key, value = heads
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(width // HEADS)
    scores = np.where(np.tril(np.ones((time, time), bool)), scores, -1e30)
    mixed = (softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(batch, time, width)
    return linear(mixed, weights, name + ".c_proj")


def gelu(x):
    import numpy as np
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2


def logits(tokens, weights):
    x = weights["wte.weight"][tokens] + weights["wpe.weight"][:tokens.shape[1]]
    for layer in range(LAYERS):
        at = f"h.{layer}"
        x = x + attention(norm(x, weights, at + ".ln_1"), weights, at + ".attn")
        x = x + linear(gelu(linear(norm(x, weights, at + ".ln_2"), weights, at + ".mlp.c_fc")), weights,
                       at + ".mlp.c_proj")
    return norm(x, weights, "ln_f") @ weights["wte.weight"].T


def loss(tokens, labels, weights):
    import numpy as np
    chosen = np.take_along_axis(softmax(logits(tokens, weights)), labels[..., None], -1)
    return -np.log(chosen).mean()


def gradients(folder):
    """Derivatives by steps into the imaginary: exact to the last digits."""
    import numpy as np
    stream = np.load(folder / "stream.npy").astype(int)
    tokens = stream[:BATCH * CONTEXT].reshape(BATCH, CONTEXT)
    labels = stream[1:BATCH * CONTEXT + 1].reshape(BATCH, CONTEXT)
    weights = load_weights(folder)
    found = json.loads((folder / "metrics.jsonl").read_text().splitlines()[0])["loss"]
    expected = loss(tokens, labels, weights).real
    if abs(found - expected) > 1e-6 * expected:
        sys.exit(f"loss: expected {expected}, but got {found}")
    random = np.random.default_rng(1)
    for name, shape in shapes():
        gradient = np.load(folder / f"{name}.npy")
        for _ in range(8):
            place = tuple(random.integers(shape))
            weights[name][place] += 1e-30j
            expected = loss(tokens, labels, weights).imag / 1e-30
            weights[name][place] = weights[name][place].real
            if abs(gradient[place] - expected) > 1e-5 * abs(expected) + 2e-7:
                sys.exit(f"{name}{list(map(int, place))}: expected {expected}, but got {gradient[place]}")
    print("loss and gradients of", len(list(shapes())), "parameters as expected")


def greedy(folder, number):
    import numpy as np
    weights = load_weights(folder)
    tokens = [3, 1, 4]
    for _ in range(number):
        tokens.append(int(logits(np.array([tokens[-CONTEXT:]]), weights)[0, -1].real.argmax()))
    print(*tokens)


def falls(path):
    losses = [json.loads(line)["loss"] for line in pathlib.Path(path).read_text().splitlines()]
    first, last = losses[0], sum(losses[-5:]) / 5
    # At first all tokens are alike: the loss is the logarithm of how many there are.
    print(f"steps {len(losses)}, begins at log({math.exp(first):.0f}), {'falls' if last < 0.8 * first else 'stays'}")


def main():
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if sys.argv[1] == "text":
        sys.stdout.buffer.write(text().encode())
    elif sys.argv[1] == "weights":
        write_weights(folder)
    elif sys.argv[1] == "gradients":
        gradients(folder)
    elif sys.argv[1] == "greedy":
        greedy(folder, int(sys.argv[3]))
    elif sys.argv[1] == "falls":
        falls(folder)
    elif sys.argv[1] == "states":
        print(*sorted(name for name in read_safetensors(folder)[0] if "wte" in name or "head" in name))


if __name__ == "__main__":
    main()
