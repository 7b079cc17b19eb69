#!/usr/bin/env python3
"""Writes GPT-2, of any size, as a model in the graph dialect.

usage: model.py [--preset shakespeare|gpt2|gpt2-medium|gpt2-large|gpt2-xl] [options] > gpt.mlir

Learned positions, norms in front of each half of a layer, one product for query,
key and value, and the head tied to the embedding: it is the same parameter.
Parameters have the names and shapes of Hugging Face's GPT-2, so that a
model.safetensors of that is read by `mpc-run --weights` as it is (--prefix=
transformer. for one that was saved with its head).

The model takes `tokens` [batch, context] and `labels`, the tokens that follow;
its outputs are the loss and `logits` [batch, context, vocabulary].
"""
import argparse
import math
import sys

PRESETS = {
    # The run that README.md tells of: characters of Shakespeare.
    "shakespeare": dict(layers=4, heads=4, width=128, context=128, vocabulary=84, batch=16,
                        lr=1e-3, beta2=0.99, warmup=50, steps=500),
    "gpt2": dict(layers=12, heads=12, width=768),
    "gpt2-medium": dict(layers=24, heads=16, width=1024),
    "gpt2-large": dict(layers=36, heads=20, width=1280),
    "gpt2-xl": dict(layers=48, heads=25, width=1600),
}
GPT2 = dict(context=1024, positions=None, vocabulary=50257, batch=1, gelu="tanh", bias=True, epsilon=1e-5, prefix="", dropout=0.0,
            lr=6e-4, weight_decay=0.1, beta1=0.9, beta2=0.95, clip=1.0, warmup=2000, steps=600000, final=0.1)


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape + (element,)))}>"


class Model:
    """Collects the arguments and the ops of the function."""

    def __init__(self, options):
        self.options = options
        self.arguments, self.body = [], []
        # Residual projections begin smaller, so that the sum of all layers
        # has the variance of one.
        self.residual_stddev = 0.02 / math.sqrt(2 * options.layers)

    def input(self, name, *shape):
        self.arguments.append(f'%{name}: {tensor(*shape, element="i32")} {{graph.input = "{name}"}}')
        return "%" + name

    def parameter(self, name, shape, init):
        variable = "%" + name.replace(".", "_")
        self.arguments.append(f'{variable}: {tensor(*shape)} {{graph.parameter = "{self.options.prefix}{name}", '
                              f"graph.init = {init}}}")
        return variable

    def weight(self, name, *shape, stddev=0.02):
        return self.parameter(name, shape, f"#graph.normal<0.0, {stddev!r}>")

    def op(self, name, text, types, result):
        self.body.append(f"  {name} = graph.{text} : ({', '.join(types)}) -> {result}")
        return name

    # The shape of activations: [batch, context, ...].
    def rows(self, *rest):
        return tensor(self.options.batch, self.options.context, *rest)

    def norm(self, x, result, name):
        width = self.options.width
        weight = self.parameter(name + ".weight", [width], "#graph.fill<1.0>")
        text, types = f"layer_norm {x} weight {weight}", [self.rows(width), tensor(width)]
        if self.options.bias:
            text += " bias " + self.parameter(name + ".bias", [width], "#graph.zeros")
            types.append(tensor(width))
        return self.op(result, f"{text} first_dim = 2 epsilon = {self.options.epsilon!r}", types, self.rows(width))

    def linear(self, x, result, name, start, to, stddev=0.02):
        """Weights lie as in Hugging Face's Conv1D: [from, to]."""
        weight = self.weight(name + ".weight", start, to, stddev=stddev)
        text, types = f"matmul {x}, {weight}", [self.rows(start), tensor(start, to)]
        if self.options.bias:
            text += " bias " + self.parameter(name + ".bias", [to], "#graph.zeros")
            types.append(tensor(to))
        return self.op(result, text, types, self.rows(to))

    def add(self, x, y, result):
        return self.op(result, f"add {x}, {y}", [self.rows(self.options.width)] * 2, self.rows(self.options.width))

    def drop(self, x):
        """GPT-2's dropout: of embeddings, and of what each half of a layer adds."""
        if not self.options.dropout:
            return x
        type = self.rows(self.options.width)
        self.body.append(f"  {x}_kept = graph.dropout {x} ratio = {self.options.dropout!r} : ({type}) -> {type}")
        return x + "_kept"

    def attention(self, x, at, name):
        batch, context = self.options.batch, self.options.context
        width, heads = self.options.width, self.options.heads
        joined = self.linear(x, at + "_qkv", name + ".c_attn", width, 3 * width)
        by_head = self.rows(heads, width // heads)
        flat = [f"{at}_{part}_flat" for part in ("query", "key", "value")]
        self.op(", ".join(flat), f"split {joined} dim = 2 sizes = {[width] * 3}", [self.rows(3 * width)],
                f"({', '.join([self.rows(width)] * 3)})")
        parts = [self.op(part.removesuffix("_flat"), f"reshape {part}", [self.rows(width)], by_head) for part in flat]
        mixed = at + "_mixed"
        dropout = f" dropout = {self.options.dropout!r}" if self.options.dropout else ""
        self.op(f"{mixed}, {at}_logsumexp", f"scaled_dot_product_attention {', '.join(parts)} causal{dropout}",
                [by_head] * 3, f"({by_head}, {tensor(batch, heads, context)})")
        flat = self.op(mixed + "_flat", f"reshape {mixed}", [by_head], self.rows(width))
        return self.drop(self.linear(flat, at + "_attention", name + ".c_proj", width, width, self.residual_stddev))

    def mlp(self, x, at, name):
        width = self.options.width
        wide = self.linear(x, at + "_up", name + ".c_fc", width, 4 * width)
        self.body.append(f"  {at}_gelu = graph.gelu {wide} kind = <{self.options.gelu}> : {self.rows(4 * width)}")
        return self.drop(self.linear(at + "_gelu", at + "_down", name + ".c_proj", 4 * width, width,
                                     self.residual_stddev))

    def layer(self, x, number):
        at, name = f"%h{number}", f"h.{number}"
        y = self.attention(self.norm(x, at + "_norm1", name + ".ln_1"), at, name + ".attn")
        x = self.add(x, y, at + "_middle")
        y = self.mlp(self.norm(x, at + "_norm2", name + ".ln_2"), at, name + ".mlp")
        return self.add(x, y, at)

    def embed(self, tokens, table):
        """The sum of what a token means and where it stands."""
        options = self.options
        positions = self.weight("wpe.weight", options.positions, options.width)
        embedded = self.op("%embedded", f"gather {table}, {tokens} dim = 0",
                           [tensor(options.vocabulary, options.width), tensor(options.batch, options.context, element="i32")],
                           self.rows(options.width))
        if options.positions > options.context:
            positions = self.op("%positions", f"slice {positions} offsets = [0, 0] "
                                f"sizes = [{options.context}, {options.width}]",
                                [tensor(options.positions, options.width)], tensor(options.context, options.width))
        return self.op("%start", f"add {embedded}, {positions}",
                       [self.rows(options.width), tensor(options.context, options.width)], self.rows(options.width))

    def write(self):
        options = self.options
        tokens = self.input("tokens", options.batch, options.context)
        labels = self.input("labels", options.batch, options.context)
        table = self.weight("wte.weight", options.vocabulary, options.width)
        x = self.drop(self.embed(tokens, table))
        for number in range(options.layers):
            x = self.layer(x, number)
        x = self.norm(x, "%final", "ln_f")
        logits = self.op("%logits", f"matmul {x}, {table} transpose_rhs",
                         [self.rows(options.width), tensor(options.vocabulary, options.width)],
                         self.rows(options.vocabulary))
        self.op("%loss", f"cross_entropy {logits}, {labels}",
                [self.rows(options.vocabulary), tensor(options.batch, options.context, element="i32")], tensor())
        return (f"// Written by examples/gpt/model.py {' '.join(sys.argv[1:])}\n"
                "func.func @gpt(\n    " + ",\n    ".join(self.arguments)
                + f')\n    -> ({tensor()} {{graph.loss}}, {self.rows(options.vocabulary)} {{graph.output = "logits"}})\n'
                + f"    attributes {{graph.training = {training(options)}}} {{\n" + "\n".join(self.body)
                + f"\n  return %loss, {logits} : {tensor()}, {self.rows(options.vocabulary)}\n}}\n")


def training(options):
    """GPT-3's recipe, with the decay of matrices and embeddings alone."""
    def adamw(decay):
        return (f'#graph.optimizer<name = "adamw", lr = {options.lr!r}, beta1 = {options.beta1!r}, '
                f"beta2 = {options.beta2!r}, weight_decay = {decay!r}>")
    return ("#graph.training<\n"
            f"      optimizer = {adamw(options.weight_decay)},\n"
            '      groups = [#graph.parameter_group<name = "no_decay", pattern = ".*(bias|ln_[^.]*[.]weight)",\n'
            f"                                       optimizer = {adamw(0.0)}>],\n"
            f"      clip = #graph.clip<norm = {options.clip!r}>,\n"
            f'      schedule = #graph.schedule<kind = "cosine", warmup = {options.warmup}, total = {options.steps}, '
            f"final = {options.final!r}>,\n"
            "      // A step trains: who wants the logits runs the entry forward.\n"
            '      drop_outputs = "logits">')


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=PRESETS, default="shakespeare")
    size = parser.add_argument_group("the model")
    for name, text in (("layers", "how many"), ("heads", "of attention; they divide the width"), ("width", ""),
                       ("context", "tokens of a sample"), ("positions", "rows of wpe (as many as the context)"),
                       ("vocabulary", "how many tokens there are"), ("batch", "samples of a batch")):
        size.add_argument("--" + name, type=int, help=text)
    size.add_argument("--gelu", choices=("tanh", "erf"))
    size.add_argument("--no-bias", dest="bias", action="store_false", default=None, help="as nanoGPT, no biases")
    size.add_argument("--epsilon", type=float, help="of the norms (1e-5)")
    size.add_argument("--prefix", help="in front of the names of all parameters")
    size.add_argument("--dropout", type=float, help="of embeddings, of attention's weights, of what layers add (0)")
    recipe = parser.add_argument_group("its training")
    for name in ("lr", "weight-decay", "beta1", "beta2", "clip", "final"):
        recipe.add_argument("--" + name, type=float)
    for name in ("warmup", "steps"):
        recipe.add_argument("--" + name, type=int, help="of the schedule")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    options = argparse.Namespace(**(GPT2 | PRESETS[given["preset"]] | given))
    if options.positions is None:
        options.positions = options.context
    for name in ("layers", "heads", "width", "context", "vocabulary", "batch"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: expected 1 or more, but got {getattr(options, name)}")
    if not 0 <= options.dropout < 1:
        parser.error(f"--dropout: expected 0 or more and less than 1, but got {options.dropout}")
    if options.width % options.heads:
        parser.error(f"--heads: expected a divisor of the width {options.width}, but got {options.heads}")
    if options.positions < options.context:
        parser.error(f"--positions: expected at least the context {options.context}, but got {options.positions}")
    return options


if __name__ == "__main__":
    sys.stdout.write(Model(read_options()).write())
