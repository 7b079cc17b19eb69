"""Writes a model of N ops of every autocast word, with branches, to see how the cost of autocast grows.

    python3 bench/models/random_graph.py 100000 [train] > graph.mlir

Each op reads the value before it; two in five read a second one of the last 64. One op in eight is a product with a
parameter, one must be f32. With `train` after the number the model has a loss and an optimizer. The same number always
gives the same graph.
"""
import random
import sys

SIZE = 16
T = f"tensor<{SIZE}x{SIZE}xf32>"
UNARY = ["relu", "neg", "tanh", "sqrt", "sigmoid", "gelu", "log", "abs"]
BINARY = ["add", "sub", "mul", "maximum", "minimum"]


def main():
    count, train = int(sys.argv[1]), "train" in sys.argv[2:]
    pick = random.Random(1)
    arguments, body, values = [f'%x: {T} {{graph.input = "x"}}'], [], ["%x"]
    for i in range(count):
        last, name, kind = values[-1], f"%v{i}", pick.random()
        if kind < 1 / 8:
            arguments.append(f'%w{i}: {T} {{graph.parameter = "w{i}", graph.init = #graph.normal<0.0, 0.1>}}')
            body.append(f"{name} = graph.matmul {last}, %w{i} : ({T}, {T}) -> {T}")
        elif kind < 2 / 8:
            body.append(f"{name} = graph.exp {last} : {T}")
        elif kind < 0.4:
            body.append(f"{name} = graph.softmax {last} dim = 1 : ({T}) -> {T}")
        elif kind < 0.6:
            body.append(f"{name} = graph.{pick.choice(UNARY)} {last} : {T}")
        else:
            other = pick.choice(values[-64:])
            body.append(f"{name} = graph.{pick.choice(BINARY)} {last}, {other} : ({T}, {T}) -> {T}")
        values.append(name)
    results = f"{T} {{graph.output = \"y\"}}"
    returned, types = values[-1], T
    if train:
        body.append(f"%loss = graph.mean {values[-1]} dims = [0, 1] : ({T}) -> tensor<f32>")
        results = f"tensor<f32> {{graph.loss}}, {results}"
        returned, types = f"%loss, {returned}", f"tensor<f32>, {T}"
    print(f"func.func @graph(\n    {(',' + chr(10) + '    ').join(arguments)})\n    -> ({results})")
    print('    attributes {graph.training = #graph.training<precision = "fp16", '
          'loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "adamw", lr = 0.001>>} {')
    print("  " + "\n  ".join(body))
    print(f"  return {returned} : {types}\n}}")


if __name__ == "__main__":
    main()
