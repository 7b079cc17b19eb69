"""Random models that PyTorch runs under torch.autocast, and the same models in the words of the graph dialect.

Needs PyTorch. On the CPU models run and are differentiated. For CUDA tensors are fake, which takes no device: autocast
dispatches as it does on one, but there is no backward. What PyTorch refuses is left out of a model; `refused` counts it.
"""
import collections
import contextlib
import logging
import random

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

logging.disable(logging.ERROR)  # FakeTensorMode logs what PyTorch refuses.

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i1": torch.bool, "i32": torch.int32,
         "i64": torch.int64}
WORDS = {type: word for word, type in TYPES.items()}
SHAPES = [(4, 8), (8, 8), (8,), (), (2, 4, 8), (1, 8), (4, 1), (2, 1, 8)]
UNARY = {"neg": torch.neg, "abs": torch.abs, "exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt,
         "rsqrt": torch.rsqrt, "erf": torch.erf, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu,
         "gelu": F.gelu}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "pow": torch.pow,
          "maximum": torch.maximum, "minimum": torch.minimum}
# PyTorch has no maximum with a number.
WITH_NUMBER = {"maximum": lambda x, c: torch.clamp(x, min=c), "minimum": lambda x, c: torch.clamp(x, max=c)}

Value = collections.namedtuple("Value", "name tensor declared")  # A number: tensor is a float.


@contextlib.contextmanager
def autocast(device, dtype, enabled):
    """torch.autocast without its question whether the device is there, and without its cache of casts."""
    before = torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)
    torch.set_autocast_cache_enabled(False)
    torch.set_autocast_enabled(device, enabled)
    torch.set_autocast_dtype(device, dtype)
    yield
    torch.set_autocast_enabled(device, before[0])
    torch.set_autocast_dtype(device, before[1])


def type_text(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def text_of(value):
    return type_text(getattr(value.tensor, "shape", ()), value.declared)


class Model:
    def __init__(self, seed, device, precision):
        self.random = random.Random(seed)
        self.device, self.dtype = device, {"bf16": torch.bfloat16, "fp16": torch.float16}[precision]
        self.arguments, self.body, self.values, self.refused = [], [], [], collections.Counter()
        self.expected = []  # Of arguments, then of ops: a tensor, or None for numbers.
        self.region = self.loss = None
        for _ in range(self.random.randint(3, 5)):
            self.add_argument()

    # Arguments, numbers and ops.

    def add_argument(self):
        name, shape = f"%p{len(self.arguments)}", self.random.choice(SHAPES)
        element = self.random.choice(["f32"] * 4 + ["f16", "bf16"])
        mark = "parameter" if element == "f32" and self.random.random() < 0.8 else "input"
        tensor = torch.rand(shape, device=self.device).to(TYPES[element])
        tensor.requires_grad_(mark == "parameter")
        self.arguments.append(f'{name}: {type_text(shape, element)} {{graph.{mark} = "{name[1:]}"}}')
        self.values.append(Value(name, tensor, element))
        self.expected.append(tensor)

    def line(self, op, operands, attributes, result):
        name = f"%{len(self.body)}"
        if self.region and op not in ("cast", "constant"):
            attributes = {**attributes, "graph.autocast_region": f"#graph.autocast_region<{self.region[0]}>"}
        text = ", ".join(f"{key} = {value}" if value else key for key, value in attributes.items())
        types = ", ".join(map(text_of, operands))
        self.body.append(f'  {name} = "graph.{op}"({", ".join(value.name for value in operands)}) {{{text}}} : '
                         f"({types}) -> {result}")
        return name

    def number(self, declared):
        number = self.random.choice([0.5, 1.25, 2.0])
        name = self.line("constant", [], {"value": f"dense<{number}> : tensor<{declared}>"}, f"tensor<{declared}>")
        self.expected.append(None)
        return Value(name, number, declared)

    def op(self, op, operands, compute, attributes=None, declared=None):
        """Adds an op if PyTorch takes its operands; `declared` is the result's type where autocast is off."""
        declared = declared or operands[0].declared
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(autocast(self.device, self.dtype, True))
                if self.region:
                    stack.enter_context(autocast(self.device, self.region[1] or self.dtype, self.region[2]))
                tensor = compute(*(value.tensor for value in operands))
        except (RuntimeError, TypeError) as error:
            reason = str(error).splitlines()[0]
            if "dim" not in reason and "shape" not in reason:  # Those that do not fit are not what this is about.
                self.refused[f"{op}: {reason}"] += 1
            return None
        if tensor.requires_grad and not tensor.is_leaf and self.device == "cpu":
            tensor.retain_grad()
        name = self.line(op, operands, attributes or {}, type_text(tensor.shape, declared))
        self.values.append(Value(name, tensor, declared))
        self.expected.append(tensor)
        return self.values[-1]

    # Choices.

    def some(self, suits=lambda value: True):
        found = [value for value in self.values if value.tensor.is_floating_point() and suits(value)]
        recent = found[-4:] if self.random.random() < 0.6 else found
        return self.random.choice(recent) if found else None

    def like(self, value, suits=lambda value: True):
        """A value that may stand beside `value`: of its declared type."""
        return self.some(lambda other: other.declared == value.declared and suits(other))

    def dims(self, value):
        rank = value.tensor.dim()
        return sorted(self.random.sample(range(rank), self.random.randint(1, rank)))

    def result_type(self, value):
        element = self.random.choice(["", "", "", "f32", "f16", "bf16"])
        return ({"dtype": element} if element else {}), TYPES.get(element), element or value.declared

    # Families.

    def add_unary(self):
        name = self.random.choice(list(UNARY))
        self.op(name, [self.some()], UNARY[name])

    def add_binary(self):
        name, x = self.random.choice(list(BINARY)), self.some()
        if self.random.random() < 0.3:
            operands, compute = [x, self.number(x.declared)], WITH_NUMBER.get(name, BINARY[name])
            if name not in WITH_NUMBER and self.random.random() < 0.4:
                operands.reverse()
        else:
            operands, compute = [x, self.like(x)], BINARY[name]
        self.op(name, operands, compute)

    def add_select(self):
        x = self.some()
        y = self.number(x.declared) if self.random.random() < 0.3 else self.like(x)
        condition = self.op("compare", [x, y], torch.lt, {"predicate": "#graph.predicate<lt>"}, "i1")
        if condition:
            self.op("select", [condition, x, y], torch.where, declared=x.declared)

    def add_matmul(self):
        x = self.some(lambda value: value.tensor.dim() >= 2)
        y = x and self.like(x, lambda value: value.tensor.dim() >= 2)
        if not y:
            return
        flip = y.tensor.shape[-2] != x.tensor.shape[-1]

        def product(a, b):
            if a.dtype != b.dtype and not torch.is_autocast_enabled(self.device):
                raise RuntimeError("expected one type")  # Fake tensors have no kernel that would say so.
            return a @ (b.mT if flip else b)

        self.op("matmul", [x, y], product, {"transpose_rhs": ""} if flip else {})

    def add_layer(self):
        """A linear layer or a convolution, with a bias or without."""
        rank = self.random.choice([2, 2, 3])
        w = self.some(lambda value: value.tensor.dim() == rank)
        suits = lambda value: value.tensor.dim() == 3 if rank == 3 else value.tensor.dim() >= 2
        x = w and self.like(w, suits)
        if not x:
            return
        operands = [x, w]
        if self.random.random() < 0.8:
            dims = list(range(1, rank))
            bias = self.op("sum", [w], lambda a: a.sum(dims), {"dims": f"array<i64: {', '.join(map(str, dims))}>"})
            if not bias:
                return
            operands.append(bias)

        def layer(*all):
            if len({a.dtype for a in all}) > 1 and not torch.is_autocast_enabled(self.device):
                raise RuntimeError("expected one type")  # Fake tensors have no kernel that would say so.
            return F.conv1d(*all) if rank == 3 else F.linear(*all)

        self.op("convolution" if rank == 3 else "matmul", operands, layer, {"transpose_rhs": ""} if rank == 2 else {})

    def add_reduction(self):
        x = self.some(lambda value: value.tensor.dim())
        if not x:
            return
        dims, name = self.dims(x), self.random.choice(["sum", "mean", "max"])
        attributes = {"dims": f"array<i64: {', '.join(map(str, dims))}>"}
        if name == "max":
            self.op("max", [x], lambda a: torch.amax(a, dims), attributes)
            return
        dtype, type, declared = self.result_type(x)
        compute = {"sum": torch.sum, "mean": torch.mean}[name]
        self.op(name, [x], lambda a: compute(a, dims, dtype=type), {**attributes, **dtype}, declared)

    def add_softmax(self):
        x = self.some(lambda value: value.tensor.dim())
        if not x:
            return
        dim, (dtype, type, declared) = self.random.randrange(x.tensor.dim()), self.result_type(x)
        name = self.random.choice(["softmax", "log_softmax"])
        compute = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}[name]
        self.op(name, [x], lambda a: compute(a, dim, dtype=type), {"dim": f"{dim} : i64", **dtype}, declared)

    def add_layer_norm(self):
        x = self.some(lambda value: value.tensor.dim())
        if not x:
            return
        first = self.random.randrange(x.tensor.dim())
        row = x.tensor.shape[first:]
        fits = [value for value in self.values if value.tensor.shape == row and value.tensor.is_floating_point()]
        weight, bias = (self.random.choice(fits + [None]) for _ in range(2))
        operands = [value for value in (x, weight, bias) if value]

        def compute(a, *rest):
            rest = list(rest)
            return F.layer_norm(a, row, rest.pop(0) if weight else None, rest.pop(0) if bias else None)

        sizes = f"array<i32: 1, {int(bool(weight))}, {int(bool(bias))}>"
        self.op("layer_norm", operands, compute, {"first_dim": f"{first} : i64", "operandSegmentSizes": sizes})

    def add_concat(self):
        x = self.some(lambda value: value.tensor.dim())
        if not x:
            return
        operands = [x] + [self.like(x, lambda value: value.tensor.shape == x.tensor.shape)
                          for _ in range(self.random.randint(1, 2))]
        self.random.shuffle(operands)
        self.op("concat", operands, lambda *all: torch.cat(all, 0), {"dim": "0 : i64"})

    def add_movement(self):
        x = self.some()
        shape, rank = list(x.tensor.shape), x.tensor.dim()
        kind = self.random.choice(["reshape", "transpose", "broadcast", "slice", "pad"])
        array = lambda numbers: f"array<i64{':' if numbers else ''} {', '.join(map(str, numbers))}>"
        if kind == "reshape":
            self.op("reshape", [x], lambda a: a.reshape(x.tensor.numel()))
        elif kind == "transpose":
            order = self.random.sample(range(rank), rank)
            self.op("transpose", [x], lambda a: a.permute(order), {"permutation": array(order)})
        elif kind == "broadcast":
            self.op("broadcast", [x], lambda a: a.expand([2] + shape))
        elif kind == "slice" and rank:
            self.op("slice", [x], lambda a: a[:1], {"offsets": array([0] * rank), "sizes": array([1] + shape[1:])})
        elif kind == "pad" and rank:
            self.op("pad", [x], lambda a: F.pad(a, (0, 1)), {"low": array([0] * rank),
                                                            "high": array([0] * (rank - 1) + [1])})

    def add_loss(self):
        if self.region and not self.region[2]:
            return  # There PyTorch's loss has its operands' type; the dialect's is f32 by definition.
        x = self.some()
        kind = self.random.choice(["mse", "binary_cross_entropy"])
        y = self.like(x, lambda value: value.tensor.shape == x.tensor.shape)
        if kind == "mse":
            self.op("mse", [x, y], F.mse_loss, declared="f32")
            return
        probability = self.op("sigmoid", [x], torch.sigmoid)
        self.op(kind, [probability, probability], F.binary_cross_entropy, declared="f32")

    def add_cast(self):
        element = self.random.choice(["f32", "f16", "bf16"])
        self.op("cast", [self.some()], lambda a: a.to(TYPES[element]), declared=element)

    def change_region(self):
        if self.region and self.random.random() < 0.7:
            self.region = None
            return
        self.region = self.random.choice([('name = "off", enabled = false', None, False),
                                          ('name = "half", dtype = f16', torch.float16, True),
                                          ('name = "brain", dtype = bf16', torch.bfloat16, True)])

    def grow(self, ops):
        families = [self.add_unary, self.add_binary, self.add_binary, self.add_matmul, self.add_matmul,
                    self.add_layer, self.add_layer, self.add_reduction, self.add_softmax, self.add_layer_norm, self.add_layer_norm, self.add_concat,
                    self.add_movement, self.add_select, self.add_loss, self.add_cast, self.change_region]
        for _ in range(ops):
            self.random.choice(families)()

    def finish(self):
        """The sum of everything that nothing reads is the loss, and PyTorch differentiates it. Not if it depends on
        nothing, or if PyTorch fails: layer_norm takes a 16-bit input with an f32 bias alone, but not backward."""
        self.region = None
        text = "\n".join(self.body)
        total = None
        for value in [value for value in self.values if value.tensor.is_floating_point()]:
            if any(f"{value.name}{end}" in text for end in (",", ")")):
                continue
            if value.tensor.dim():
                dims = list(range(value.tensor.dim()))
                value = self.op("sum", [value], lambda a: torch.sum(a, dims),
                                {"dims": f"array<i64: {', '.join(map(str, dims))}>"})
            value = self.op("cast", [value], lambda a: a.to(torch.float32), declared="f32")
            total = self.op("add", [total, value], torch.add) if total else value
        if total is None or not total.tensor.requires_grad:
            return
        if self.device == "cpu":
            try:
                total.tensor.backward()
            except RuntimeError as error:
                self.refused[f"backward: {str(error).splitlines()[0]}"] += 1
                return
        self.loss = total

    def lines(self):
        return [f"func.func @model({', '.join(self.arguments)}) -> (tensor<f32> {{graph.loss}}) {{", *self.body,
                f"  return {self.loss.name} : tensor<f32>", "}"]

    def types(self):
        """{number of value: [type, type of its gradient]}, None where there is none."""
        return {number: [WORDS[tensor.dtype], WORDS[tensor.grad.dtype] if tensor.grad is not None else None]
                for number, tensor in enumerate(self.expected) if tensor is not None}


def random_model(seed, device, precision, ops):
    """A model of about `ops` ops; its `loss` is None if there is no gradient."""
    torch.manual_seed(seed)
    with FakeTensorMode() if device == "cuda" else contextlib.nullcontext():
        model = Model(seed, device, precision)
        model.grow(ops)
        model.finish()
        return model
