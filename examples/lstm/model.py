#!/usr/bin/env python3
"""Writes a recurrent language model of characters as a model in the graph dialect.

usage: model.py [options] > lstm.mlir

An embedding, layers of long short-term memory, and a product to the scores of the character that follows. Parameters
have the names and shapes of PyTorch's Embedding, LSTM and Linear (`emb`, `rnn`, `fc`), so that weights of such a module
are read by `mpc-run --weights` as they are.

The model takes `tokens` [batch, context] and `labels`, the tokens that follow; its outputs are the loss and `logits`
[batch, context, vocabulary].
"""
import argparse
import math
import sys


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape + (element,)))}>"


class Model:
    """Collects the arguments and the ops of the function."""

    def __init__(self, options):
        self.options = options
        self.arguments, self.body = [], []

    def parameter(self, name, shape, init):
        variable = "%" + name.replace(".", "_")
        self.arguments.append(f'{variable}: {tensor(*shape)} {{graph.parameter = "{name}", graph.init = {init}}}')
        return variable

    def uniform(self, name, shape, width):
        """As PyTorch begins what reads a state of `width`."""
        bound = 1 / math.sqrt(width)
        return self.parameter(name, shape, f"#graph.uniform<{-bound!r}, {bound!r}>")

    def op(self, results, text, types, *result_types):
        listed = ", ".join(result_types)
        self.body.append(f"  {results} = graph.{text} : ({', '.join(types)}) -> "
                         + (f"({listed})" if len(result_types) > 1 else listed))

    def layer(self, x, number):
        """A layer over all steps; its states, and what the backward keeps, have the time in front."""
        options, width = self.options, self.options.width
        start = options.embedding if number == 0 else width
        at = f"_l{number}"
        weights = [self.uniform("rnn.weight_ih" + at, [4 * width, start], width),
                   self.uniform("rnn.weight_hh" + at, [4 * width, width], width),
                   self.uniform("rnn.bias_ih" + at, [4 * width], width),
                   self.uniform("rnn.bias_hh" + at, [4 * width], width)]
        batch, context = options.batch, options.context
        self.op(f"%h{number}, " + ", ".join(f"%{name}{number}" for name in ("last", "cell", "states", "cells", "gates")),
                f"lstm {x}, {weights[0]}, {weights[1]} bias {weights[2]}, {weights[3]} batch_first",
                [tensor(batch, context, start), tensor(4 * width, start), tensor(4 * width, width),
                 tensor(4 * width), tensor(4 * width)],
                tensor(batch, context, width), tensor(batch, width), tensor(batch, width),
                tensor(context, batch, width), tensor(context, batch, width), tensor(context, batch, 4 * width))
        return f"%h{number}"

    def drop(self, x, number):
        """Between layers, as PyTorch's LSTM(dropout)."""
        options = self.options
        if not options.dropout or number == options.layers - 1:
            return x
        type = tensor(options.batch, options.context, options.width)
        self.op(x + "_kept", f"dropout {x} ratio = {options.dropout!r}", [type], type)
        return x + "_kept"

    def write(self):
        options = self.options
        batch, context, vocabulary, width = options.batch, options.context, options.vocabulary, options.width
        ids = tensor(batch, context, element="i32")
        for name in ("tokens", "labels"):
            self.arguments.append(f'%{name}: {ids} {{graph.input = "{name}"}}')
        table = self.parameter("emb.weight", [vocabulary, options.embedding], "#graph.normal<0.0, 1.0>")
        self.op("%embedded", f"gather {table}, %tokens dim = 0", [tensor(vocabulary, options.embedding), ids],
                tensor(batch, context, options.embedding))
        x = "%embedded"
        for number in range(options.layers):
            x = self.drop(self.layer(x, number), number)
        head = self.uniform("fc.weight", [vocabulary, width], width)
        bias = self.uniform("fc.bias", [vocabulary], width)
        scores = tensor(batch, context, vocabulary)
        self.op("%product", f"matmul {x}, {head} transpose_rhs", [tensor(batch, context, width), tensor(vocabulary, width)], scores)
        self.op("%logits", f"add %product, {bias}", [scores, tensor(vocabulary)], scores)
        self.op("%loss", "cross_entropy %logits, %labels", [scores, ids], tensor())
        return (f"// Written by examples/lstm/model.py {' '.join(sys.argv[1:])}\n"
                "func.func @lstm(\n    " + ",\n    ".join(self.arguments)
                + f')\n    -> ({tensor()} {{graph.loss}}, {scores} {{graph.output = "logits"}})\n'
                + f"    attributes {{graph.training = {training(options)}}} {{\n" + "\n".join(self.body)
                + f"\n  return %loss, %logits : {tensor()}, {scores}\n}}\n")


def training(options):
    return ("#graph.training<\n"
            f'      optimizer = #graph.optimizer<name = "adam", lr = {options.lr!r}>,\n'
            f"      clip = #graph.clip<norm = {options.clip!r}>,\n"
            "      // A step trains: who wants the logits runs the entry forward.\n"
            '      drop_outputs = "logits">')


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number, text in (("layers", 1, "of memory"), ("width", 256, "of a state"), ("embedding", 64, "width of a character's vector"),
                               ("context", 64, "characters of a sample"), ("vocabulary", 84, "how many characters there are"),
                               ("batch", 32, "samples of a batch")):
        parser.add_argument("--" + name, type=int, default=number, help=f"{text} ({number})")
    parser.add_argument("--dropout", type=float, default=0.0, help="between layers (0)")
    parser.add_argument("--lr", type=float, default=2e-3, help="of Adam (2e-3)")
    parser.add_argument("--clip", type=float, default=1.0, help="norm of all gradients together (1)")
    options = parser.parse_args()
    for name in ("layers", "width", "embedding", "context", "vocabulary", "batch"):
        if getattr(options, name) < 1:
            parser.error(f"argument --{name}: expected 1 or more")
    return options


if __name__ == "__main__":
    try:
        sys.stdout.write(Model(read_options()).write())
    except BrokenPipeError:
        sys.exit(1)
