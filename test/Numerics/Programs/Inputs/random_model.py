"""What random models have in common: how they are written. Each depends on its seed alone."""
import random


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Value:
    def __init__(self, name, shape, size=0.3, element="f32"):
        self.name, self.shape, self.size, self.element = name, list(shape), size, element

    @property
    def type(self):
        return tensor(self.shape, self.element)


class RandomModel:
    """`size` of a value is about how large its elements are."""

    rate = 10.0
    """What gradients are multiplied by, so that they show."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.arguments, self.outputs, self.losses = [], [], [], []
        self.count = 0
        self.name = f"random{seed}"

    def chance(self, share):
        return self.random.random() < share

    def argument(self, shape, kind="parameter", element="f32"):
        value = Value(f"%a{len(self.arguments)}", shape, element=element)
        init = ", graph.init = #graph.normal<0.0, 0.2>" if kind == "parameter" else ""
        self.arguments.append(f'{value.name}: {value.type} {{graph.{kind} = "a{len(self.arguments)}"{init}}}')
        return value

    def define(self, op, operands, shape, size, more="", mark=False, bias=None):
        value = Value(f"%v{self.count}", shape, size)
        self.count += 1
        names = ", ".join(operand.name for operand in operands) + (f" bias {bias.name}" if bias else "")
        types = ", ".join(operand.type for operand in [*operands, *([bias] if bias else [])])
        self.lines.append(f"  {value.name} = graph.{op} {names}{more} : ({types}) -> {value.type}"
                          + (' loc("behind")' if mark else ""))
        return value

    def map(self, op, x, size, mark=False):
        """An elementwise op of one operand, and its attributes."""
        op, _, more = op.partition(" ")
        value = Value(f"%v{self.count}", x.shape, size)
        self.count += 1
        self.lines.append(f"  {value.name} = graph.{op} {x.name} {more} : {x.type}" + (' loc("behind")' if mark else ""))
        return value

    def reshape(self, x, shape):
        return self.define("reshape", [x], shape, x.size)

    def transpose(self, x, order):
        return self.define("transpose", [x], [x.shape[dim] for dim in order], x.size, f" permutation = {list(order)}")

    def keep(self, results):
        """Outputs, and parts of the loss."""
        for value in results:
            weights = self.argument(value.shape)
            weighted = self.define("mul", [value, weights], value.shape, 1)
            self.losses.append(self.define("mean", [weighted], [], 1, f" dims = {list(range(len(value.shape)))}"))
        self.outputs += results

    def write(self):
        loss = self.losses[0]
        for other in self.losses[1:]:
            loss = self.define("add", [loss, other], [], 1)
        results = ["tensor<f32> {graph.loss}"] + [
            f'{value.type} {{graph.output = "y{i}"}}' for i, value in enumerate(self.outputs)]
        returned = [loss, *self.outputs]
        return (f"func.func @{self.name}(\n    " + ",\n    ".join(self.arguments) + ")\n    -> (" + ", ".join(results)
                + ")\n    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = \"sgd\", "
                + f"lr = {self.rate}>>}} {{\n"
                + "\n".join(self.lines) + "\n  return " + ", ".join(value.name for value in returned) + " : "
                + ", ".join(value.type for value in returned) + "\n}\n")
