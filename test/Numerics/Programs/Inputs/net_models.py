"""Random nets of convolutions, pools, norms of channels, other sizes of space and recurrence.

Chains of one to three dims of space, channels first or last, whose layout changes now and then: convolutions and
transposed ones (strides, zeros on either side, dilations, groups, depthwise, 1x1, with a bias of their own or none),
pools of all kinds, resized and shuffled space, windows and slices with steps, norms with running statistics and without,
biases, activations, residual addends, parts joined along channels; then, of some, layers along time or a scan. Dims of
size 1 and windows that divide nothing are among them. Depends on the seed alone.
"""
import math

from random_model import RandomModel, Value, tensor

FUNCTIONS = ("relu", "silu", "tanh", "sigmoid", "gelu", "hardswish", "hardsigmoid", "elu", "leaky_relu")
CHANNELS = (1, 2, 3, 4, 6, 8, 8, 12)
SPACE = {1: (1, 2, 5, 8, 17, 33), 2: (1, 2, 3, 4, 5, 7, 8, 9), 3: (1, 2, 3, 4, 5)}
LARGEST = 8000


class Sliding:
    """A window along space. `same` has zeros of its own."""

    def __init__(self, kernel, strides, low, high, dilations):
        self.kernel, self.strides, self.low, self.high, self.dilations = kernel, strides, low, high, dilations
        self.word = ""

    def reach(self):
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]

    def words(self):
        text = self.word
        for name, values in (("strides", self.strides), ("low", self.low), ("high", self.high),
                             ("dilations", self.dilations)):
            if values != [1 if name in ("strides", "dilations") else 0] * len(values):
                text += f" {name} = {values}"
        return text

    def results(self, space):
        """Of space, None if the window is longer."""
        if self.word == " same":
            self.low = self.high = [0] * len(space)
            return [-(-n // s) for n, s in zip(space, self.strides)]
        rest = [n + a + b - r for n, a, b, r in zip(space, self.low, self.high, self.reach())]
        return [n // s + 1 for n, s in zip(rest, self.strides)] if min(rest) >= 0 else None

    def inputs(self, space):
        """The smallest space that has such results."""
        return [(n - 1) * s + r - a - b for n, s, r, a, b in zip(space, self.strides, self.reach(), self.low, self.high)]


class Net(RandomModel):
    rate = 1.0

    def __init__(self, seed):
        super().__init__(seed)
        self.is_narrow = seed % 3 == 0  # It is trained in 16 bits, too.
        self.steps = self.random.choice((1, 2, 3, 5))  # Of recurrence. Lengths are below that.
        for _ in range(self.random.randint(1, 2)):
            self.add_chain()

    # Shapes

    def make_shape(self, batch, channels, space):
        return [batch, *space, channels] if self.last else [batch, channels, *space]

    def channels(self, x):
        return x.shape[-1 if self.last else 1]

    def space(self, x):
        return x.shape[1:-1] if self.last else x.shape[2:]

    def layout(self):
        return " channels_last" if self.last else ""

    def places(self, x):
        return math.prod(x.shape) // self.channels(x)

    def sliding(self, rank):
        pick = lambda *choices: [self.random.choice(choices) for _ in range(rank)]
        return Sliding(pick(1, 1, 2, 3, 3, 5), pick(1, 1, 1, 2, 3), pick(0, 1, 1, 2), pick(0, 1, 1, 2), pick(1, 1, 1, 2))

    # Ops

    def groups(self, *counts):
        common = math.gcd(*counts)
        return self.random.choice([1, 1, common, *(part for part in (2, 3, 4) if common % part == 0)])

    def kernel_shape(self, outer, inner, kernel):
        return [outer, *kernel, inner] if self.last else [outer, inner, *kernel]

    def own_bias(self, channels):
        return self.argument([channels]) if self.chance(0.4) else None

    def convolution(self, x):
        window = self.sliding(len(self.space(x)))
        window.word = " same" if self.chance(0.2) else ""
        space = window.results(self.space(x))
        if not space:
            return x
        start = self.channels(x)
        to = self.random.choice((start, 2 * start, *CHANNELS))
        groups = self.groups(start, to)
        weight = self.argument(self.kernel_shape(to, start // groups, window.kernel))
        words = window.words() + (f" groups = {groups}" if groups > 1 else "") + self.layout()
        size = x.size * math.sqrt(math.prod(window.kernel) * start / groups) * 0.3
        return self.define("convolution", [x, weight], self.make_shape(x.shape[0], to, space), size + 0.3, words,
                           bias=self.own_bias(to))

    def transposed_convolution(self, x):
        window = self.sliding(len(self.space(x)))
        space, sizes = window.inputs(self.space(x)), ""
        start, to = self.channels(x), self.random.choice(CHANNELS)
        groups = self.groups(start, to)
        if min(space) < 1 or math.prod(space) * to * x.shape[0] > LARGEST:
            return x
        if self.chance(0.3):
            space = [n + self.random.randrange(s) for n, s in zip(space, window.strides)]
            sizes = f" sizes = {space}"
        weight = self.argument(self.kernel_shape(start, to // groups, window.kernel))
        words = sizes + window.words() + (f" groups = {groups}" if groups > 1 else "") + self.layout()
        size = x.size * math.sqrt(math.prod(window.kernel) * start / groups) * 0.3
        # In 16 bits GPUs round what it is added to, which the error rule does not allow.
        bias = None if self.is_narrow else self.own_bias(to)
        return self.define("transposed_convolution", [x, weight], self.make_shape(x.shape[0], to, space), size + 0.3,
                           words, bias=bias)

    def pool(self, x):
        shape = lambda space: self.make_shape(x.shape[0], self.channels(x), space)
        if self.chance(0.3):
            space = [self.random.randint(1, n + 1) for n in self.space(x)]
            words = f" sizes = {space}" + self.layout()
            if self.chance(0.5):
                return self.largest("adaptive_max_pool", x, space, words)
            return self.define("adaptive_average_pool", [x], shape(space), x.size, words)
        window = self.sliding(len(self.space(x)))
        # Each window must hold an element.
        window.dilations = [d if n > d else 1 for n, d in zip(self.space(x), window.dilations)]
        window.low, window.high = ([min(pad, k - 1) for pad, k in zip(pads, window.kernel)]
                                   for pads in (window.low, window.high))
        window.word = " same" if self.chance(0.2) else ""
        space = window.results(self.space(x))
        if not space:
            return x
        if not window.word and self.chance(0.3):  # A last window that begins inside.
            window.word = " ceil"
            ends = [n + a + b - r for n, a, b, r in zip(self.space(x), window.low, window.high, window.reach())]
            begins = lambda at, p: p * window.strides[at] < self.space(x)[at] + window.low[at]
            space = [p + 1 if end % window.strides[at] and begins(at, p) else p for at, (p, end) in enumerate(zip(space, ends))]
        words = f" kernel = {window.kernel}" + window.words()
        if self.chance(0.5):
            return self.largest("max_pool", x, space, words + self.layout())
        words += " count_padding" if self.chance(0.5) else ""
        return self.define("average_pool", [x], shape(space), x.size, words + self.layout())

    def largest(self, op, x, space, words):
        """Not of what was computed from one another, whose order may be another's rounding."""
        if self.has_ties:
            return x
        shape = self.make_shape(x.shape[0], self.channels(x), space)
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name}:2 = graph.{op} {x.name}{words} : ({x.type}) -> ({tensor(shape)}, {tensor(shape, 'i32')})")
        return Value(name + "#0", shape, x.size)

    def resize(self, x):
        space = [self.random.randint(1, min(2 * n + 1, 20)) for n in self.space(x)]
        shape = self.make_shape(x.shape[0], self.channels(x), space)
        if math.prod(shape) > LARGEST:
            return x
        words = f" sizes = {space}" + self.random.choice(("", " align_corners", " asymmetric", " pytorch_half_pixel"))
        op = self.random.choice(("nearest", "linear", "linear", "cubic"))
        if op == "nearest":
            words += self.random.choice(("", " floor", " ceil", " prefer_ceil"))
        self.has_ties = True
        return self.define("resize_" + op, [x], shape, x.size, words + self.layout())

    def shuffle_pixels(self, x):
        block = 2 ** len(self.space(x))
        words = " factor = 2" + self.random.choice(("", " blocks_first")) + self.layout()
        channels, space = self.channels(x), self.space(x)
        if channels % block == 0:
            shape = self.make_shape(x.shape[0], channels // block, [2 * n for n in space])
            return self.define("pixel_shuffle", [x], shape, x.size, words)
        if all(n % 2 == 0 for n in space):
            shape = self.make_shape(x.shape[0], channels * block, [n // 2 for n in space])
            return self.define("pixel_unshuffle", [x], shape, x.size, words)
        return x

    def window(self, x):
        offsets, sizes, steps = [], [], []
        for n in x.shape:
            step = self.random.choice((1, 1, 2, 3))
            moves = self.chance(0.4)
            steps.append(step if moves else 1)
            offsets.append(self.random.randint(-2, 2) if moves else 0)
            sizes.append(max(1, self.random.randint(n // 2, n + 2) // step) if moves else n)
        if math.prod(sizes) > LARGEST:
            return x
        if self.chance(0.5):
            self.has_ties = True
            words = f" offsets = {offsets} sizes = {sizes} steps = {steps}"
            return self.define("window", [x], sizes, x.size, words)
        offsets = [self.random.randrange(n) if self.chance(0.3) else 0 for n in x.shape]
        sizes = [(n - at - 1) // step + 1 for n, at, step in zip(x.shape, offsets, steps)]
        return self.define("slice", [x], sizes, x.size, f" offsets = {offsets} sizes = {sizes} steps = {steps}")

    def statistics(self, channels):
        for kind, first in (("mean", "#graph.zeros"), ("variance", "#graph.fill<1.0>")):
            value = Value(f"%a{len(self.arguments)}", [channels])
            state = f'#graph.state<"s{len(self.arguments)}.{kind}" running_statistic init {first}>'
            self.arguments.append(f"{value.name}: {value.type} {{graph.state = {state}}}")
            yield value

    def norm(self, x):
        channels, op = self.channels(x), self.random.choice(("batch_norm", "batch_norm", "group_norm", "instance_norm"))
        if self.places(x) < 4 or op == "instance_norm" and not self.space(x):
            return x
        operands, words = [x], ""
        if self.chance(0.7):
            operands.append(self.argument([channels]))
            words += " weight {}"
        if self.chance(0.7):
            operands.append(self.argument([channels]))
            words += " bias {}"
        more = ""
        if op == "batch_norm" and self.chance(0.8):
            operands += self.statistics(channels)
            words += " running {}, {}"
            more = self.random.choice(("", "", " population", " inference"))
        momentum = f" momentum = {self.random.choice((0.0, 0.1, 0.3, 1.0))}" if "running" in words else ""
        if op == "group_norm":
            parts = [part for part in range(1, channels + 1) if channels % part == 0]
            momentum = f" groups = {self.random.choice(parts)}"
        # Nearly equal elements would be drawn apart.
        words = words.format(*(operand.name for operand in operands[1:]))
        words += momentum + f" epsilon = {self.random.choice((0.1, 0.25))}" + more + self.layout()
        value = Value(f"%v{self.count}", x.shape, 0.7)
        self.count += 1
        types = ", ".join(operand.type for operand in operands)
        self.lines.append(f"  {value.name} = graph.{op} {x.name}{words} : ({types}) -> {value.type}")
        return value

    def bias(self, x):
        channels = self.channels(x)
        shape = [channels] if self.last else [channels, *[1] * len(self.space(x))]
        return self.define("add", [x, self.argument(shape)], x.shape, x.size + 0.3)

    def join(self, x, earlier):
        same = [value for value in earlier if value.shape == x.shape]
        if same and self.chance(0.7):
            return self.define("add", [x, self.random.choice(same)], x.shape, x.size + 0.5)
        dim = len(x.shape) - 1 if self.last else 1
        fits = [value for value in [*earlier, x] if len(value.shape) == len(x.shape) and all(
            a == b for at, (a, b) in enumerate(zip(value.shape, x.shape)) if at != dim)]
        other = self.random.choice(fits)
        shape = [*x.shape]
        shape[dim] += other.shape[dim]
        return self.define("concat", [x, other], shape, max(x.size, other.size), f" dim = {dim}")

    def turn(self, x):
        """The other layout."""
        rank = len(x.shape)
        order = [0, rank - 1, *range(1, rank - 1)] if self.last else [0, *range(2, rank), 1]
        self.last = not self.last
        return self.transpose(x, order)

    # Time

    def sequence(self, x):
        """[time, batch, features], of all there is."""
        batch = x.shape[0]
        rest = math.prod(x.shape) // batch
        if rest > 24:
            flat = self.reshape(x, [batch, rest])
            x = self.define("matmul", [flat, self.argument([rest, 4 * self.steps])], [batch, 4 * self.steps],
                            x.size * math.sqrt(rest) * 0.3)
        elif rest % self.steps:
            x = self.define("mul", [self.reshape(x, [1, batch, rest]), self.argument([self.steps, 1, rest])],
                            [self.steps, batch, rest], x.size * 0.3)
            return x
        features = math.prod(x.shape) // batch // self.steps
        return self.transpose(self.reshape(x, [batch, self.steps, features]), [1, 0, 2])

    def recurrent(self, x):
        first = self.chance(0.3)
        time, batch, features = x.shape
        if first:
            x = self.transpose(x, [1, 0, 2])
        width = self.random.choice((1, 3, 4, 8))
        op = self.random.choice(("rnn", "lstm", "gru"))
        gates = {"rnn": 1, "lstm": 4, "gru": 3}[op]
        operands = [x, self.argument([gates * width, features]), self.argument([gates * width, width])]
        words = ""

        def take(*shapes, word):
            values = [self.argument(shape) for shape in shapes]
            operands.extend(values)
            return f" {word} " + ", ".join(value.name for value in values)

        words += take([gates * width], [gates * width], word="bias") if self.chance(0.7) else ""
        if self.chance(0.5):
            words += take([batch, width], word="initial")
            words += take([batch, width], word="cell") if op == "lstm" and self.chance(0.7) else ""
        options = {"rnn": (" relu",), "lstm": (" onnx_order",), "gru": (" reset_first", " onnx_order")}[op]
        words += "".join(word for word in options if self.chance(0.4))
        if self.chance(0.4):
            operands.append(self.argument([batch], "input", "i32"))
            words += f" lengths {operands[-1].name}"
        words += " reverse" if self.chance(0.4) else ""
        words += " batch_first" if first else ""
        output = [batch, time, width] if first else [time, batch, width]
        state, states = [batch, width], [time, batch, width]
        kept = [time, batch, 4 * width if op == "lstm" or "reset_first" not in words else 3 * width]
        results = {"rnn": [output, state, states], "gru": [output, state, states, kept],
                   "lstm": [output, state, state, states, states, kept]}[op]
        name = f"%v{self.count}"
        self.count += 1
        given = ", ".join(value.name for value in operands[:3])
        self.lines.append(f"  {name}:{len(results)} = graph.{op} {given}{words} : "
                          f"({', '.join(value.type for value in operands)}) -> ({', '.join(map(tensor, results))})")
        self.keep([Value(f"{name}#{at}", results[at], 0.7) for at in ((1, 2) if op == "lstm" else (1,)) if self.chance(0.5)])
        y = Value(name + "#0", output, 0.7)
        return self.transpose(y, [1, 0, 2]) if first else y

    def scan(self, x):
        """A cell of its own: of what is carried, a step's element, the one beside it, and a weight."""
        time, batch, features = x.shape
        element = [batch, features]
        first, weight = self.argument(element), self.argument([features, features])
        shift = self.random.choice((-1, 0, 1))
        operands = [first, x, x] + ([first] if shift else []) + [weight]
        e, types = tensor(element), ", ".join(value.type for value in operands)
        words = f" steps = {time}" + (" reverse" if self.chance(0.4) else "") + f" carry {first.name} each {x.name}, {x.name}"
        words += f" shifts = [0, {shift}] edges {first.name}" if shift else ""
        last, all_ = f"%v{self.count}", f"%v{self.count + 1}"
        self.count += 2
        self.lines.append(f"""  {last}, {all_} = graph.scan{words} with {weight.name} : ({types}) -> ({e}, {x.type}) {{
  ^bb0(%h: {e}, %now: {e}, %beside: {e}, %w: {weight.type}):
    %p = graph.matmul %h, %w : ({e}, {weight.type}) -> {e}
    %q = graph.add %p, %now : ({e}, {e}) -> {e}
    %r = graph.tanh %q : {e}
    %s = graph.mul %r, %beside : ({e}, {e}) -> {e}
    %t = graph.{self.random.choice(("sigmoid", "silu", "hardswish"))} %s : {e}
    graph.yield %r, %t : {e}, {e}
  }}""")
        self.keep([Value(last, element, 1)])
        return Value(all_, x.shape, 1)

    # Chains

    def step(self, x, earlier):
        kind = self.random.choice(("convolution", "convolution", "convolution", "transposed", "pool", "pool", "resize",
                                   "pixels", "window", "norm", "norm", "norm", "bias", "function", "function", "join", "turn"))
        if kind == "convolution":
            return self.convolution(x)
        if kind == "transposed":
            return self.transposed_convolution(x)
        if kind == "function":
            op = self.random.choice(FUNCTIONS)
            self.has_ties |= op in ("relu", "hardsigmoid", "hardswish")
            return self.map(op, x, min(x.size, 1) if op in ("tanh", "sigmoid", "hardsigmoid") else x.size)
        if kind == "join":
            return self.join(x, earlier)
        return {"pool": self.pool, "resize": self.resize, "pixels": self.shuffle_pixels, "window": self.window,
                "norm": self.norm, "bias": self.bias, "turn": self.turn}[kind](x)

    def add_chain(self):
        rank = self.random.choice((1, 2, 2, 2, 3))
        self.last, self.has_ties = self.chance(0.35), False
        space = [self.random.choice(SPACE[rank]) for _ in range(rank)]
        x = self.argument(self.make_shape(self.random.choice((1, 2, 3, 4)), self.random.choice(CHANNELS), space), "input")
        earlier = [x]
        for _ in range(self.random.randint(2, 9)):
            y = self.step(x, earlier)
            if math.prod(y.shape) > LARGEST:  # It stays a result of its own.
                self.keep([y])
                break
            x = y
            if x.size > 4:
                x = self.define("mul", [x, self.argument([])], x.shape, x.size * 0.3)
            if self.chance(0.25):
                earlier.append(x)
        if self.chance(0.4):
            x = self.sequence(x)
            for _ in range(self.random.randint(1, 2)):
                x = self.scan(x) if self.chance(0.3) else self.recurrent(x)
        self.keep([x])
