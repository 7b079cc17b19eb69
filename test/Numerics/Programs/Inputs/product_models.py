"""Random models of matrix products and of what a library call may take along.

Chains of products, with a bias of their own or without, each followed by biases, residual addends, activations,
reshapes and transposes in any order, so that whatever may belong to a call
meets what may not: an epilogue behind a reshape or a transpose, a value that
others read too, a bias along another dim, an addend of which nothing is left,
dims of size 1. Depends on the seed alone.

An epilogue that has a reshape between itself and the product is marked: its
location is "behind".
"""
import math

from random_model import RandomModel

FUNCTIONS = ("gelu kind = <tanh>", "gelu kind = <tanh>", "gelu", "relu", "relu", "tanh", "sigmoid")
WIDTHS = (1, 3, 4, 8, 8, 12, 16, 24, 33)


class Model(RandomModel):
    def __init__(self, seed):
        super().__init__(seed)
        self.batch = self.random.choice((1, 2, 2, 3))
        self.time = self.random.choice((1, 4, 5, 8))
        for chain in range(self.random.randint(2, 3)):
            self.add_chain(chain)

    def function(self, x, mark=False):
        op = self.random.choice(FUNCTIONS)
        return self.map(op, x, min(x.size, 1) if op in ("tanh", "sigmoid") else x.size, mark)

    def random_reshape(self, x):
        shape = list(x.shape)
        kind = self.random.randrange(4)
        if kind == 0 and len(shape) > 2:  # Rows of the batch.
            at = self.random.randrange(len(shape) - 2)
            shape[at:at + 2] = [shape[at] * shape[at + 1]]
        elif kind == 1 and len(shape) > 1:  # Dims of the batch, of the rows.
            shape = [self.batch, math.prod(shape[:-1]) // self.batch, shape[-1]] if math.prod(
                shape[:-1]) % self.batch == 0 else [1, *shape]
        elif kind == 2:  # Heads.
            parts = [part for part in (2, 3, 4) if shape[-1] % part == 0]
            if parts:
                part = self.random.choice(parts)
                shape[-1:] = [part, shape[-1] // part]
        else:
            shape.insert(self.random.randrange(len(shape)), 1)
        return self.reshape(x, shape) if len(shape) <= 4 else x

    def shuffle_dims(self, x):
        return self.transpose(x, self.random.sample(range(len(x.shape)), len(x.shape)))

    def product(self, x):
        """Of the last dim, or of the one before it."""
        width = self.random.choice(WIDTHS)
        inner, rank = x.shape[-1], len(x.shape)
        kind = self.random.randrange(8)
        grows = math.sqrt(inner)
        if kind == 0 and rank >= 2:  # The parameter is lhs.
            lhs = self.argument([*(x.shape[:-2] if self.chance(0.5) else []), width, x.shape[-2]])
            shape = [*x.shape[:-2], width, inner]
            return self.multiply([lhs, x], shape, x.size * math.sqrt(x.shape[-2]) * 0.3)
        if kind == 1 and rank >= 2 and x.size < 1:  # With itself.
            order = [*range(rank - 2), rank - 1, rank - 2]
            return self.multiply([x, self.transpose(x, order)], [*x.shape[:-1], x.shape[-2]], x.size * x.size * grows)
        if kind == 2 and rank >= 3:  # Each of the batch with its own.
            rhs = self.argument([*x.shape[:-2], inner, width])
        elif kind in (3, 4):
            rhs = self.transpose(self.argument([width, inner]), [1, 0])
        else:
            rhs = self.argument([inner, width])
        return self.multiply([x, rhs], [*x.shape[:-1], width], x.size * grows * 0.3)

    def multiply(self, operands, shape, size):
        if self.chance(0.3):
            return self.define("matmul", operands, shape, size + 0.3, bias=self.argument(shape[-1:]))
        return self.define("matmul", operands, shape, size)

    def bias(self, x, mark):
        shape = x.shape[-1:]
        if self.chance(0.25):
            shape = [1] * self.random.randrange(len(x.shape)) + shape
        if self.chance(0.1) and len(x.shape) > 1:  # Along the rows: no bias for a library.
            shape = [x.shape[-2], 1]
        operands = [x, self.argument(shape)]
        self.random.shuffle(operands)
        return self.define("add", operands, x.shape, x.size + 0.3, mark=mark)

    def addend(self, x, earlier, mark):
        same = [value for value in earlier if math.prod(value.shape) == math.prod(x.shape)]
        other = self.random.choice(same) if same and self.chance(0.8) else self.argument(x.shape)
        if other.shape != x.shape:
            other = self.reshape(other, x.shape)
        operands = [x, other]
        self.random.shuffle(operands)
        return self.define("add", operands, x.shape, x.size + other.size, mark=mark)

    def add_chain(self, chain):
        x = self.argument([self.batch, self.time, self.random.choice(WIDTHS)], "input")
        earlier = [x]
        for _ in range(self.random.randint(1, 3)):
            if self.chance(0.3):
                x = self.random_reshape(x)
            if self.chance(0.15):
                x = self.shuffle_dims(x)
            x = self.product(x)
            is_behind = False
            for _ in range(self.random.randrange(6)):
                before = x
                kind = self.random.random()
                if kind < 0.3:
                    x = self.random_reshape(x)
                    is_behind |= x is not before
                elif kind < 0.55:
                    x = self.bias(x, is_behind)
                elif kind < 0.7:
                    x = self.addend(x, earlier, is_behind)
                elif kind < 0.93:
                    x = self.function(x, is_behind)
                else:
                    x = self.shuffle_dims(x)
                if self.chance(0.15):
                    earlier.append(x)
            if x.size > 4:
                x = self.define("mul", [x, self.argument([])], x.shape, x.size * 0.3)
            earlier.append(x)
        self.keep([x, *(value for value in earlier[1:-1] if self.chance(0.3))])
