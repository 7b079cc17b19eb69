#!/usr/bin/env python3
"""Writes a residual network for images as a model in the graph dialect.

usage: model.py [--preset fashion|digits|resnet18|resnet50] [options] > resnet.mlir

The small ones are those of He et al. (2016), section 4.2: three stages of 6n + 2 layers altogether, as wide as
--width, twice and four times that. The large ones are theirs for 224 x 224 pixels, of basic blocks or of bottlenecks with
the stride in the 3 x 3 convolution, as torchvision writes them. Parameters and running statistics have torchvision's
names and shapes, so that its weights are read by `mpc-run --weights` as they are.

The model takes `x` [batch, channels, rows, columns], pixels as they are in the file, and `label` [batch]; it scales
pixels by itself. Its outputs are the loss and `logits` [batch, classes].
"""
import argparse
import math
import sys

SMALL = dict(block="basic", depths=None, n=1, width=16, classes=10, channels=1, batch=64, lr=0.05, weight_decay=5e-4, steps=500)
LARGE = dict(block="basic", width=64, classes=1000, channels=3, size=224, batch=8, scale=255.0, mean=0.449, deviation=0.226,
             lr=0.1, weight_decay=1e-4, steps=450000)
PRESETS = {
    "fashion": SMALL | dict(size=28, scale=255.0, mean=0.2860, deviation=0.3530),
    "digits": SMALL | dict(size=8, scale=16.0, mean=0.3053, deviation=0.3760),
    "resnet18": LARGE | dict(depths=[2, 2, 2, 2]),
    "resnet50": LARGE | dict(depths=[3, 4, 6, 3], block="bottleneck"),
}


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape + (element,)))}>"


class Model:
    """Collects the arguments and the ops of the function. A value is its name and its shape."""

    def __init__(self, options):
        self.options = options
        self.arguments, self.body = [], []
        self.values = 0

    def argument(self, name, shape, mark, element="f32"):
        variable = "%" + name.replace(".", "_")
        self.arguments.append(f"{variable}: {tensor(*shape, element=element)} {{{mark}}}")
        return variable, list(shape)

    def parameter(self, name, shape, init):
        return self.argument(name, shape, f'graph.parameter = "{name}", graph.init = {init}')

    def op(self, text, operands, shape, result=None):
        """Of `text` with a place {} for each operand."""
        self.values += 1
        name = result or f"%{self.values}"
        types = ", ".join(tensor(*shape) for _, shape in operands)
        self.body.append(f"  {name} = graph.{text.format(*(name for name, _ in operands))} : ({types}) -> {tensor(*shape)}")
        return name, list(shape)

    def convolution(self, name, x, channels, kernel, stride=1):
        """Without a bias, since a norm follows; as large as the stride leaves it."""
        batch, from_channels, *space = x[1]
        deviation = math.sqrt(2 / (channels * kernel * kernel))  # He et al. (2015), by the fan out
        w = self.parameter(name + ".weight", [channels, from_channels, kernel, kernel], f"#graph.normal<0.0, {deviation!r}>")
        pad = kernel // 2
        text = "convolution {}, {}"
        if stride > 1:
            text += f" strides = [{stride}, {stride}]"
        if pad:
            text += f" low = [{pad}, {pad}] high = [{pad}, {pad}]"
        return self.op(text, [x, w], [batch, channels] + [(size - 1) // stride + 1 for size in space])

    def norm(self, name, x):
        channels = [x[1][1]]
        state = '#graph.state<"{}" running_statistic init {}>'
        operands = [x, self.parameter(name + ".weight", channels, "#graph.fill<1.0>"),
                    self.parameter(name + ".bias", channels, "#graph.zeros")]
        for statistic, init in (("running_mean", "#graph.zeros"), ("running_var", "#graph.fill<1.0>")):
            name_of = f"{name}.{statistic}"
            operands.append(self.argument(name_of, channels, f"graph.state = {state.format(name_of, init)}"))
        return self.op("batch_norm {} weight {} bias {} running {}, {} momentum = 0.1 epsilon = 1.0e-5", operands, x[1])

    def relu(self, x):
        self.values += 1
        self.body.append(f"  %{self.values} = graph.relu {x[0]} : {tensor(*x[1])}")
        return f"%{self.values}", x[1]

    def residual(self, name, x, y, stride):
        """relu(y + x), x being brought to y's shape where it has another."""
        if x[1] != y[1]:
            x = self.norm(name + ".downsample.1", self.convolution(name + ".downsample.0", x, y[1][1], 1, stride))
        return self.relu(self.op("add {}, {}", [y, x], y[1]))

    def basic(self, name, x, width, stride):
        y = self.relu(self.norm(name + ".bn1", self.convolution(name + ".conv1", x, width, 3, stride)))
        return self.residual(name, x, self.norm(name + ".bn2", self.convolution(name + ".conv2", y, width, 3)), stride)

    def bottleneck(self, name, x, width, stride):
        y = self.relu(self.norm(name + ".bn1", self.convolution(name + ".conv1", x, width, 1)))
        y = self.relu(self.norm(name + ".bn2", self.convolution(name + ".conv2", y, width, 3, stride)))
        return self.residual(name, x, self.norm(name + ".bn3", self.convolution(name + ".conv3", y, 4 * width, 1)), stride)

    def scaled(self, x):
        """(x / scale - mean) / deviation"""
        options = self.options
        for op, number in (("mul", 1 / (options.scale * options.deviation)), ("sub", options.mean / options.deviation)):
            self.values += 1
            self.body.append(f"  %{self.values} = graph.constant dense<{number!r}> : {tensor()}")
            x = self.op(op + " {}, {}", [x, (f"%{self.values}", [])], x[1])
        return x

    def stem(self, x):
        options = self.options
        if not options.depths:
            return self.relu(self.norm("bn1", self.convolution("conv1", x, options.width, 3)))
        x = self.relu(self.norm("bn1", self.convolution("conv1", x, options.width, 7, 2)))
        batch, channels, *space = x[1]
        shape = [batch, channels] + [(size - 1) // 2 + 1 for size in space]
        # The second result is where the largest stood, for the backward.
        self.body.append(f"  %pooled, %places = graph.max_pool {x[0]} kernel = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1] : "
                         f"({tensor(*x[1])}) -> ({tensor(*shape)}, {tensor(*shape, element='i32')})")
        return "%pooled", shape

    def head(self, x):
        """The mean over space, and a score for each class."""
        batch, channels, *_ = x[1]
        x = self.op("mean {} dims = [2, 3]", [x], [batch, channels])
        classes = self.options.classes
        bound = 1 / math.sqrt(channels)  # as PyTorch's Linear begins
        w = self.parameter("fc.weight", [classes, channels], f"#graph.uniform<{-bound!r}, {bound!r}>")
        b = self.parameter("fc.bias", [classes], f"#graph.uniform<{-bound!r}, {bound!r}>")
        product = self.op("matmul {}, {} transpose_rhs", [x, w], [batch, classes])
        return self.op("add {}, {}", [product, b], [batch, classes], "%logits")

    def write(self):
        options = self.options
        image = [options.batch, options.channels, options.size, options.size]
        x = self.stem(self.scaled(self.argument("x", image, 'graph.input = "x"')))
        label = self.argument("label", [options.batch], 'graph.input = "label"', element="i32")
        for stage, depth in enumerate(options.depths or [options.n] * 3):
            for number in range(depth):
                stride = 2 if stage > 0 and number == 0 else 1
                x = getattr(self, options.block)(f"layer{stage + 1}.{number}", x, options.width << stage, stride)
        logits = self.head(x)
        self.body.append(f"  %loss = graph.cross_entropy %logits, %label : ({tensor(*logits[1])}, "
                         f"{tensor(*label[1], element='i32')}) -> {tensor()}")
        return (f"// Written by examples/resnet/model.py {' '.join(sys.argv[1:])}\n"
                "func.func @resnet(\n    " + ",\n    ".join(self.arguments)
                + f')\n    -> ({tensor()} {{graph.loss}}, {tensor(*logits[1])} {{graph.output = "logits"}})\n'
                + f"    attributes {{graph.training = {training(options)}}} {{\n" + "\n".join(self.body)
                + f"\n  return %loss, %logits : {tensor()}, {tensor(*logits[1])}\n}}\n")


def training(options):
    """Momentum, and a rate that falls along half a cosine to zero."""
    return ("#graph.training<\n"
            f'      optimizer = #graph.optimizer<name = "sgd", lr = {options.lr!r}, momentum = 0.9, '
            f"weight_decay = {options.weight_decay!r}>,\n"
            f'      schedule = #graph.schedule<kind = "cosine", total = {options.steps}, final = 0.0>,\n'
            "      // A step trains: who wants the logits runs the entry forward.\n"
            '      drop_outputs = "logits">')


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=PRESETS, default="fashion")
    size = parser.add_argument_group("the model")
    for name, text in (("n", "blocks of each of the three stages of a small one"), ("width", "channels of the first stage"),
                       ("classes", ""), ("channels", "of images"), ("size", "rows and columns of images"), ("batch", "samples of a batch")):
        size.add_argument("--" + name, type=int, help=text)
    for name, text in (("scale", "the pixel that is 1"), ("mean", "of pixels, scaled"), ("deviation", "of pixels, scaled")):
        size.add_argument("--" + name, type=float, help=text)
    recipe = parser.add_argument_group("its training")
    for name in ("lr", "weight-decay"):
        recipe.add_argument("--" + name, type=float)
    recipe.add_argument("--steps", type=int, help="of the schedule")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    options = argparse.Namespace(**(PRESETS[given["preset"]] | given))
    for name in ("n", "width", "classes", "channels", "size", "batch", "steps"):
        if getattr(options, name, 1) < 1:
            parser.error(f"argument --{name}: expected 1 or more")
    return options


if __name__ == "__main__":
    try:
        sys.stdout.write(Model(read_options()).write())
    except BrokenPipeError:
        sys.exit(1)
