"""Llama, BERT and ViT in the graph dialect.

    python3 graphs.py llama|bert|vit > model.mlir
"""
import sys

import definitions as d


def tensor(shape, element="f32"):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


class Value:
    def __init__(self, name, shape, element="f32"):
        self.name, self.shape, self.type = name, tuple(shape), tensor(shape, element)


class Graph:
    """Writes a function: its parameters as they are read, and op after op."""

    def __init__(self, shapes):
        """`shapes` are those of the parameters, by name."""
        self.shapes = dict(shapes)
        self.parameters, self.arguments, self.body = {}, [], []

    def input(self, name, shape, element):
        value = Value("%" + name, shape, element)
        self.arguments.append(f'{value.name}: {value.type} {{graph.input = "{name}"}}')
        return value

    def parameter(self, name):
        if name not in self.parameters:
            value = Value("%" + name.replace(".", "_"), self.shapes[name])
            self.arguments.append(f'{value.name}: {value.type} {{graph.parameter = "{name}", graph.init = #graph.zeros}}')
            self.parameters[name] = value
        return self.parameters[name]

    def constant(self, array):
        value = Value(f"%{len(self.body)}", array.shape)
        numbers = str(array.astype("f4").tolist())
        self.body.append(f"{value.name} = graph.constant dense<{numbers}> : {value.type}")
        return value

    def op(self, text, operands, shape, beside=""):
        """`text` is the op with {} for each operand; `beside`, the types of what else results."""
        result = Value(f"%v{len(self.body)}", shape)
        types = f"({result.type}, {beside})" if beside else result.type
        names = f"{result.name}:{1 + beside.count('tensor')}" if beside else result.name
        self.body.append(f"{names} = graph.{text.format(*(x.name for x in operands))} "
                         f": ({', '.join(x.type for x in operands)}) -> {types}")
        if beside:
            result.name += "#0"
        return result

    def unary(self, text, x):
        result = Value(f"%v{len(self.body)}", x.shape)
        self.body.append(f"{result.name} = graph.{text.format(x.name)} : {x.type}")
        return result

    def add(self, x, y):
        return self.op("add {}, {}", [x, y], max(x.shape, y.shape, key=len))

    def multiply(self, x, y):
        return self.op("mul {}, {}", [x, y], x.shape)

    def reshape(self, x, *shape):
        return self.op("reshape {}", [x], shape)

    def linear(self, name, x):
        weight = self.parameter(name + ".weight")
        y = self.op("matmul {}, {} transpose_rhs", [x, weight], [*x.shape[:-1], weight.shape[0]])
        return self.add(y, self.parameter(name + ".bias")) if name + ".bias" in self.shapes else y

    def rms_norm(self, name, x, m):
        text = f"rms_norm {{}} weight {{}} first_dim = {len(x.shape) - 1} epsilon = {m['epsilon']:e}"
        return self.op(text, [x, self.parameter(name + ".weight")], x.shape)

    def layer_norm(self, name, x, m):
        text = f"layer_norm {{}} weight {{}} bias {{}} first_dim = {len(x.shape) - 1} epsilon = {m['epsilon']:e}"
        return self.op(text, [x, self.parameter(name + ".weight"), self.parameter(name + ".bias")], x.shape)

    def embed(self, name, tokens):
        table = self.parameter(name + ".weight")
        return self.op("gather {}, {} dim = 0", [table, tokens], [*tokens.shape, table.shape[1]])

    def heads(self, x, count):
        return self.reshape(x, *x.shape[:2], count, x.shape[2] // count)

    def attention(self, q, k, v, mask=None, words=""):
        batch, time, heads, _ = q.shape
        text = "scaled_dot_product_attention {}, {}, {} " + ("mask {} " if mask else "") + words
        y = self.op(text, [q, k, v, *([mask] if mask else [])], q.shape, beside=tensor([batch, heads, time]))
        return self.reshape(y, batch, time, heads * q.shape[3])

    def loss(self, logits, labels, words=""):
        return self.op("cross_entropy {}, {} " + words, [logits, labels], [])

    def write(self, loss, **outputs):
        types = "".join(f", {value.type}" for value in outputs.values())
        marked = "".join(f', {value.type} {{graph.output = "{name}"}}' for name, value in outputs.items())
        names = ", ".join(value.name for value in [loss, *outputs.values()])
        return ("func.func @model(" + ",\n    ".join(self.arguments) + f")\n    -> ({loss.type} {{graph.loss}}{marked}) {{\n  "
                + "\n  ".join(self.body) + f"\n  return {names} : {loss.type}{types}\n}}\n")


def llama(g):
    m = d.LLAMA
    shape = (m["batch"], m["context"])
    tokens, labels = g.input("tokens", shape, "i32"), g.input("labels", shape, "i32")
    tables = [g.constant(table) for table in d.rotations()]
    rotate = lambda x: g.op("rotary_embedding {}, {}, {}", [x, *tables], x.shape)
    x = g.embed("embed_tokens", tokens)
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        y = g.rms_norm(at + "input_layernorm", x, m)
        q = rotate(g.heads(g.linear(at + "q_proj", y), m["heads"]))
        k = rotate(g.heads(g.linear(at + "k_proj", y), m["key_heads"]))
        v = g.heads(g.linear(at + "v_proj", y), m["key_heads"])
        x = g.add(x, g.linear(at + "o_proj", g.attention(q, k, v, words="causal")))
        y = g.rms_norm(at + "post_attention_layernorm", x, m)
        gate = g.unary("silu {}", g.linear(at + "gate_proj", y))
        x = g.add(x, g.linear(at + "down_proj", g.multiply(gate, g.linear(at + "up_proj", y))))
    return g.loss(g.linear("lm_head", g.rms_norm("norm", x, m)), labels, "ignore_index = -100")


def attend(g, at, x, m, mask=None):
    q, k, v = (g.heads(g.linear(at + name, x), m["heads"]) for name in ("query", "key", "value"))
    return g.linear(at + "output", g.attention(q, k, v, mask))


def mlp(g, at, x):
    return g.linear(at + "down", g.unary("gelu {}", g.linear(at + "up", x)))


def bert(g):
    m = d.BERT
    batch, context, width = m["batch"], m["context"], m["width"]
    tokens, types, labels = (g.input(name, (batch, context), "i32") for name in ("tokens", "types", "labels"))
    seen, follows = g.input("seen", (batch, 1, 1, context), "i1"), g.input("next", (batch,), "i32")
    x = g.add(g.embed("words", tokens), g.parameter("positions.weight"))
    x = g.layer_norm("norm", g.add(x, g.embed("types", types)), m)
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        x = g.layer_norm(at + "norm1", g.add(x, attend(g, at, x, m, seen)), m)
        x = g.layer_norm(at + "norm2", g.add(x, mlp(g, at, x)), m)
    first = g.op(f"slice {{}} offsets = [0, 0, 0] sizes = [{batch}, 1, {width}]", [x], (batch, 1, width))
    pooled = g.unary("tanh {}", g.linear("pooler", g.reshape(first, batch, width)))
    y = g.layer_norm("transform_norm", g.unary("gelu {}", g.linear("transform", x)), m)
    logits = g.op("matmul {}, {} transpose_rhs", [y, g.parameter("words.weight")], (batch, context, m["vocabulary"]))
    masked = g.loss(g.add(logits, g.parameter("decoder.bias")), labels, "ignore_index = -100")
    return g.add(masked, g.loss(g.linear("next", pooled), follows))


def vit(g):
    m = d.VIT
    batch, channels, patch, width = m["batch"], m["channels"], m["patch"], m["width"]
    side = m["size"] // patch
    image = g.input("image", (batch, channels, m["size"], m["size"]), "f32")
    labels = g.input("labels", (batch,), "i32")
    pixels = g.reshape(image, batch, channels, side, patch, side, patch)
    rows = g.op("transpose {} permutation = [0, 2, 4, 1, 3, 5]", [pixels], (batch, side, side, channels, patch, patch))
    x = g.linear("patch", g.reshape(rows, batch, side * side, channels * patch * patch))
    token = g.op("broadcast {}", [g.parameter("class_token")], (batch, 1, width))
    x = g.op("concat {}, {} dim = 1", [token, x], (batch, side * side + 1, width))
    x = g.add(x, g.parameter("positions"))
    for layer in range(m["layers"]):
        at = f"layers.{layer}."
        x = g.add(x, attend(g, at, g.layer_norm(at + "norm1", x, m), m))
        x = g.add(x, mlp(g, at, g.layer_norm(at + "norm2", x, m)))
    y = g.layer_norm("norm", x, m)
    first = g.op(f"slice {{}} offsets = [0, 0, 0] sizes = [{batch}, 1, {width}]", [y], (batch, 1, width))
    return g.loss(g.linear("head", g.reshape(first, batch, width)), labels, f"label_smoothing = {m['smoothing']}")


MODELS = {"llama": llama, "bert": bert, "vit": vit}

if __name__ == "__main__":
    graph = Graph(d.PARAMETERS[sys.argv[1]]())
    sys.stdout.write(graph.write(MODELS[sys.argv[1]](graph)))
