"""Prints a model whose kernels are worth looking at.

    make-model.py norms WIDTH   layer_norm and softmax over rows of WIDTH
    make-model.py block WIDTH   a transformer block, heads of 64, GELU in the middle
    make-model.py vocab CLASSES cross entropy over rows of CLASSES
"""
import sys


class Model:
    def __init__(self, name):
        self.name, self.arguments, self.body = name, [], []

    def argument(self, name, shape, mark):
        value = name.replace(".", "_")
        self.arguments.append(f"%{value}: tensor<{shape}> {{{mark}}}")
        return value, shape

    def input(self, name, shape):
        return self.argument(name, shape, f'graph.input = "{name}"')

    def parameter(self, name, shape, init="#graph.normal<0.0, 0.02>"):
        return self.argument(name, shape, f'graph.parameter = "{name}", graph.init = {init}')

    def op(self, text, shape, *operands):
        """`text` with a %-sign per operand; functional type."""
        name = f"v{len(self.body)}"
        for operand, _ in operands:
            text = text.replace("%", "@" + operand, 1)
        types = ", ".join(f"tensor<{s}>" for _, s in operands)
        self.body.append(f"  %{name} = graph.{text.replace('@', '%')} : ({types}) -> tensor<{shape}>")
        return name, shape

    def unary(self, text, operand):
        name = f"v{len(self.body)}"
        self.body.append(f"  %{name} = graph.{text} %{operand[0]} : tensor<{operand[1]}>")
        return name, operand[1]

    def print(self, loss):
        print(f"func.func @{self.name}(\n    " + ",\n    ".join(self.arguments))
        print("    ) -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<"
              'optimizer = #graph.optimizer<name = "adamw", lr = 0.001>, clip = #graph.clip<norm = 1.0>>} {')
        print("\n".join(self.body) + f"\n  return %{loss[0]} : tensor<f32>\n}}")


def norm(model, x, width, name):
    weight = model.parameter(name + ".weight", f"{width}xf32", "#graph.fill<1.0>")
    bias = model.parameter(name + ".bias", f"{width}xf32", "#graph.zeros")
    dim = x[1].count("x") - 1
    return model.op(f"layer_norm % weight % bias % first_dim = {dim}", x[1], x, weight, bias)


def linear(model, x, width, to, name):
    weight = model.parameter(name + ".weight", f"{width}x{to}xf32")
    bias = model.parameter(name + ".bias", f"{to}xf32", "#graph.zeros")
    shape = x[1].replace(f"x{width}xf32", f"x{to}xf32")
    product = model.op("matmul %, %", shape, x, weight)
    return model.op("add %, %", shape, product, bias)


def norms(model, width):
    x = linear(model, model.input("x", "4096x64xf32"), 64, width, "in")
    target = model.input("target", f"4096x{width}xf32")
    y = norm(model, x, width, "norm")
    y = model.op("softmax % dim = 1", y[1], y)
    return model.op("mse %, %", "f32", y, target)


def attention(model, x, width):
    heads, shape = width // 64, f"8x128x{width}xf32"
    split = f"8x128x{heads}x64xf32"
    parts = []
    for name in ("q", "k", "v"):
        part = model.op("reshape %", split, linear(model, x, width, width, name))
        order = "[0, 2, 3, 1]" if name == "k" else "[0, 2, 1, 3]"
        to = f"8x{heads}x64x128xf32" if name == "k" else f"8x{heads}x128x64xf32"
        parts.append(model.op(f"transpose % permutation = {order}", to, part))
    scores = model.op("matmul %, %", f"8x{heads}x128x128xf32", *parts[:2])
    weights = model.op("softmax % dim = 3", scores[1], scores)
    mixed = model.op("matmul %, %", f"8x{heads}x128x64xf32", weights, parts[2])
    mixed = model.op("transpose % permutation = [0, 2, 1, 3]", split, mixed)
    return linear(model, model.op("reshape %", shape, mixed), width, width, "out")


def block(model, width):
    shape = f"8x128x{width}xf32"
    x, target = model.input("x", shape), model.input("target", shape)
    x = model.op("add %, %", shape, x, attention(model, norm(model, x, width, "norm1"), width))
    y = linear(model, norm(model, x, width, "norm2"), width, 4 * width, "up")
    y = linear(model, model.unary("gelu", y), 4 * width, width, "down")
    y = model.op("add %, %", shape, x, y)
    return model.op("mse %, %", "f32", y, target)


def vocab(model, classes):
    x, label = model.input("x", "512x64xf32"), model.input("label", "512xi32")
    logits = linear(model, x, 64, classes, "head")
    return model.op("cross_entropy %, %", "f32", logits, label)


def main():
    kind, size = sys.argv[1], int(sys.argv[2])
    model = Model(kind)
    model.print({"norms": norms, "block": block, "vocab": vocab}[kind](model, size))


if __name__ == "__main__":
    main()
