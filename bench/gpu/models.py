"""Writes the models that are timed on GPUs.

usage: models.py FOLDER [--rows 65536] [--columns 768,1600,4096]

Row kernels, each a model of its own: `<name>-<columns>-<type>.mlir` with
elementwise, softmax and layer_norm, forward and backward. The backward models
are the gradients of lib/Dialect/Graph/Gradients, written out. And
mlp-<precision>.mlir, the classifier 784-512-512-10 for batches of 128, whose step
is timed; images come in the precision of training. And gpt-bf16.mlir, two layers
of GPT-2 124M with its head: attention, products, norms, the loss and the update
at their real sizes (32 x 1024 tokens, --tokens).
"""
import argparse
import pathlib
import re
import textwrap

FORWARD = {
    "gelu-bias": """
        func.func @gelu_bias(%x: T {graph.input = "x"}, %b: tensor<Cxf32> {graph.input = "b"}) -> (T {graph.output = "y"}) {
          %xw = graph.cast %x : (T) -> W
          %s = graph.add %xw, %b : (W, tensor<Cxf32>) -> W
          %g = graph.gelu %s : W
          %y = graph.cast %g : (W) -> T
          return %y : T
        }""",
    "softmax": """
        func.func @softmax(%x: T {graph.input = "x"}) -> (T {graph.output = "y"}) {
          %y = graph.softmax %x dim = 1 : (T) -> T
          return %y : T
        }""",
    "layer_norm": """
        func.func @layer_norm(%x: T {graph.input = "x"}, %w: tensor<Cxf32> {graph.input = "w"}, %b: tensor<Cxf32> {graph.input = "b"}) -> (T {graph.output = "y"}) {
          %xw = graph.cast %x : (T) -> W
          %n = graph.layer_norm %xw weight %w bias %b first_dim = 1 : (W, tensor<Cxf32>, tensor<Cxf32>) -> W
          %y = graph.cast %n : (W) -> T
          return %y : T
        }""",
}

BACKWARD = {
    "softmax-backward": """
        func.func @softmax_backward(%y: T {graph.input = "y"}, %dy: T {graph.input = "dy"}) -> (T {graph.output = "dx"}) {
          %yw = graph.cast %y : (T) -> W
          %dyw = graph.cast %dy : (T) -> W
          %p = graph.mul %dyw, %yw : (W, W) -> W
          %s = graph.sum %p dims = [1] keep : (W) -> R
          %d = graph.sub %dyw, %s : (W, R) -> W
          %dx = graph.mul %yw, %d : (W, W) -> W
          %r = graph.cast %dx : (W) -> T
          return %r : T
        }""",
    "layer_norm-backward": """
        func.func @layer_norm_backward(%x: T {graph.input = "x"}, %dy: T {graph.input = "dy"}, %w: tensor<Cxf32> {graph.input = "w"})
            -> (T {graph.output = "dx"}, tensor<Cxf32> {graph.output = "dw"}, tensor<Cxf32> {graph.output = "db"}) {
          %xw = graph.cast %x : (T) -> W
          %dyw = graph.cast %dy : (T) -> W
          %eps = graph.constant dense<1.0e-5> : tensor<f32>
          %mean = graph.mean %xw dims = [1] keep : (W) -> R
          %c = graph.sub %xw, %mean : (W, R) -> W
          %c2 = graph.mul %c, %c : (W, W) -> W
          %var = graph.mean %c2 dims = [1] keep : (W) -> R
          %vare = graph.add %var, %eps : (R, tensor<f32>) -> R
          %r = graph.rsqrt %vare : R
          %n = graph.mul %c, %r : (W, R) -> W
          %dn = graph.mul %dyw, %w : (W, tensor<Cxf32>) -> W
          %m1 = graph.mean %dn dims = [1] keep : (W) -> R
          %dnn = graph.mul %dn, %n : (W, W) -> W
          %m2 = graph.mean %dnn dims = [1] keep : (W) -> R
          %e1 = graph.sub %dn, %m1 : (W, R) -> W
          %e2 = graph.mul %n, %m2 : (W, R) -> W
          %e3 = graph.sub %e1, %e2 : (W, W) -> W
          %dxw = graph.mul %e3, %r : (W, R) -> W
          %dx = graph.cast %dxw : (W) -> T
          %dyn = graph.mul %dyw, %n : (W, W) -> W
          %dw = graph.sum %dyn dims = [0] : (W) -> tensor<Cxf32>
          %db = graph.sum %dyw dims = [0] : (W) -> tensor<Cxf32>
          return %dx, %dw, %db : T, tensor<Cxf32>, tensor<Cxf32>
        }""",
}

MLP = """
    func.func @mlp(
        %images: tensor<128x784xELEMENT> {graph.input = "x"},
        %label: tensor<128xi32> {graph.input = "label"},
        %w1: tensor<784x512xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.05>},
        %b1: tensor<512xf32>     {graph.parameter = "b1", graph.init = #graph.zeros},
        %w2: tensor<512x512xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.0625>},
        %b2: tensor<512xf32>     {graph.parameter = "b2", graph.init = #graph.zeros},
        %w3: tensor<512x10xf32>  {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.0625>},
        %b3: tensor<10xf32>      {graph.parameter = "b3", graph.init = #graph.zeros})
        -> (tensor<f32> {graph.loss})
        attributes {graph.training = #graph.training<
          precision = "PRECISION",
          optimizer = #graph.optimizer<name = "adamw", lr = 0.001, weight_decay = 0.01>,
          clip = #graph.clip<norm = 1.0>>} {
      CAST
      %0 = graph.matmul %x, %w1 : (tensor<128x784xf32>, tensor<784x512xf32>) -> tensor<128x512xf32>
      %1 = graph.add %0, %b1 : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
      %2 = graph.relu %1 : tensor<128x512xf32>
      %3 = graph.matmul %2, %w2 : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
      %4 = graph.add %3, %b2 : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
      %5 = graph.relu %4 : tensor<128x512xf32>
      %6 = graph.matmul %5, %w3 : (tensor<128x512xf32>, tensor<512x10xf32>) -> tensor<128x10xf32>
      %7 = graph.add %6, %b3 : (tensor<128x10xf32>, tensor<10xf32>) -> tensor<128x10xf32>
      %loss = graph.cross_entropy %7, %label : (tensor<128x10xf32>, tensor<128xi32>) -> tensor<f32>
      return %loss : tensor<f32>
    }
    """


def instance(text, rows, columns, element):
    """T: the tensor in `element`, W: in f32, R: one f32 per row, C: columns."""
    types = {"T": f"tensor<{rows}x{columns}x{element}>", "W": f"tensor<{rows}x{columns}xf32>",
             "R": f"tensor<{rows}x1xf32>"}
    text = text.replace("<Cx", f"<{columns}x")
    return re.sub(r"\b[TWR]\b", lambda word: types[word.group()], text)


def mlp(precision, element):
    cast = f"%x = graph.cast %images : (tensor<128x784x{element}>) -> tensor<128x784xf32>"
    text = MLP.replace("PRECISION", precision).replace("ELEMENT", element)
    if precision == "fp16":
        text = text.replace("optimizer = ", 'loss_scale = #graph.loss_scale<mode = "dynamic">,\n          optimizer = ')
    if element == "f32":
        return textwrap.dedent(text.replace("      CAST\n", "").replace("%images", "%x")).lstrip()
    return textwrap.dedent(text.replace("CAST", cast)).lstrip()


class Gpt:
    """Layers of GPT-2 on rows of tokens."""

    def __init__(self, tokens, width, classes):
        self.tokens, self.width, self.classes = tokens, width, classes
        self.arguments = [f'%x: tensor<{tokens}x{width}xbf16> {{graph.input = "x"}}',
                          f'%label: tensor<{tokens}xi32> {{graph.input = "label"}}']
        self.body = []

    def value(self, text, shape):
        self.body.append(f"  %{len(self.body)} = graph.{text} -> tensor<{shape}xf32>")
        return f"%{len(self.body) - 1}"

    def parameter(self, name, shape, init):
        self.arguments.append(f'%{name.replace(".", "_")}: tensor<{shape}xf32> '
                              f'{{graph.parameter = "{name}", graph.init = {init}}}')
        return "%" + name.replace(".", "_")

    def norm(self, x, name):
        width, shape = self.width, f"{self.tokens}x{self.width}"
        weight = self.parameter(name + ".weight", width, "#graph.fill<1.0>")
        bias = self.parameter(name + ".bias", width, "#graph.zeros")
        return self.value(f"layer_norm {x} weight {weight} bias {bias} first_dim = 1 : (tensor<{shape}xf32>, "
                          f"tensor<{width}xf32>, tensor<{width}xf32>)", shape)

    def linear(self, x, start, to, name):
        weight = self.parameter(name + ".weight", f"{start}x{to}", "#graph.normal<0.0, 0.02>")
        bias = self.parameter(name + ".bias", to, "#graph.zeros")
        product = self.value(f"matmul {x}, {weight} : (tensor<{self.tokens}x{start}xf32>, "
                             f"tensor<{start}x{to}xf32>)", f"{self.tokens}x{to}")
        return self.value(f"add {product}, {bias} : (tensor<{self.tokens}x{to}xf32>, tensor<{to}xf32>)",
                          f"{self.tokens}x{to}")

    def attention(self, packed):
        """Causal, of heads of 64; queries, keys and values are parts of one product."""
        context = min(self.tokens, 1024)
        batch, heads = self.tokens // context, self.width // 64
        own, all_heads = f"{batch}x{context}x{heads}x64", f"{batch}x{context}x{3 * heads}x64"
        split = self.value(f"reshape {packed} : (tensor<{self.tokens}x{3 * self.width}xf32>)", all_heads)
        sizes = f"[{batch}, {context}, {heads}, 64]"
        parts = [self.value(f"slice {split} offsets = [0, 0, {part * heads}, 0] sizes = {sizes} : "
                            f"(tensor<{all_heads}xf32>)", own) for part in range(3)]
        number = len(self.body)
        self.body.append(f"  %{number}, %lse{number} = graph.scaled_dot_product_attention {', '.join(parts)} causal : "
                         f"({', '.join([f'tensor<{own}xf32>'] * 3)}) -> (tensor<{own}xf32>, "
                         f"tensor<{batch}x{heads}x{context}xf32>)")
        return self.value(f"reshape %{number} : (tensor<{own}xf32>)", f"{self.tokens}x{self.width}")

    def layer(self, x, name):
        width, shape = self.width, f"tensor<{self.tokens}x{self.width}xf32>"
        y = self.linear(self.norm(x, name + ".ln1"), width, 3 * width, name + ".qkv")
        y = self.linear(self.attention(y), width, width, name + ".out")
        x = self.value(f"add {x}, {y} : ({shape}, {shape})", f"{self.tokens}x{width}")
        y = self.linear(self.norm(x, name + ".ln2"), width, 4 * width, name + ".up")
        self.body.append(f"  %{len(self.body)} = graph.gelu {y} kind = <tanh> : "
                         f"tensor<{self.tokens}x{4 * width}xf32>")
        y = self.linear(f"%{len(self.body) - 1}", 4 * width, width, name + ".down")
        return self.value(f"add {x}, {y} : ({shape}, {shape})", f"{self.tokens}x{width}")

    def text(self, layers):
        shape = f"{self.tokens}x{self.width}"
        x = self.value(f"cast %x : (tensor<{shape}xbf16>)", shape)
        for number in range(layers):
            x = self.layer(x, f"h{number}")
        x = self.norm(x, "ln_f")
        head = self.parameter("head", f"{self.width}x{self.classes}", "#graph.normal<0.0, 0.02>")
        logits = self.value(f"matmul {x}, {head} : (tensor<{shape}xf32>, tensor<{self.width}x{self.classes}xf32>)",
                            f"{self.tokens}x{self.classes}")
        self.body.append(f"  %loss = graph.cross_entropy {logits}, %label : "
                         f"(tensor<{self.tokens}x{self.classes}xf32>, tensor<{self.tokens}xi32>) -> tensor<f32>")
        return ("func.func @gpt(\n    " + ",\n    ".join(self.arguments) + ")\n    -> (tensor<f32> {graph.loss})\n"
                '    attributes {graph.training = #graph.training<precision = "bf16",\n'
                '      optimizer = #graph.optimizer<name = "adamw", lr = 0.0006, weight_decay = 0.1>,\n'
                "      clip = #graph.clip<norm = 1.0>>} {\n" + "\n".join(self.body)
                + "\n  return %loss : tensor<f32>\n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=65536)
    parser.add_argument("--columns", default="768,1600,4096")
    parser.add_argument("--tokens", type=int, default=32768)
    parser.add_argument("--classes", type=int, default=50304)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in (FORWARD | BACKWARD).items():
        for columns in map(int, options.columns.split(",")):
            for element in ("bf16", "f16"):
                path = options.folder / f"{name}-{columns}-{element}.mlir"
                path.write_text(textwrap.dedent(instance(text, options.rows, columns, element)).lstrip() + "\n")
    for precision, element in (("fp32", "f32"), ("bf16", "bf16"), ("fp16", "f16")):
        (options.folder / f"mlp-{precision}.mlir").write_text(mlp(precision, element))
    (options.folder / "gpt-bf16.mlir").write_text(Gpt(options.tokens, 768, options.classes).text(layers=2))


if __name__ == "__main__":
    main()
