"""Writes a classifier of many equal layers, to see how compile time grows.

    python3 bench/models/deep_mlp.py 1000 > deep.mlir
    mpc-compile deep.mlir -o deep.mpcx --precision=fp16 --time

Each layer is a product, a bias and a relu on [batch, width]; with the argument
`norm` after the number a layer norm and a gelu instead of the relu.
"""
import sys

BATCH, WIDTH, CLASSES = 64, 64, 10


def main():
    layers, norm = int(sys.argv[1]), "norm" in sys.argv[2:]
    h = f"tensor<{BATCH}x{WIDTH}xf32>"
    w = f"tensor<{WIDTH}x{WIDTH}xf32>"
    b = f"tensor<{WIDTH}xf32>"
    arguments = [f'%x: {h} {{graph.input = "x"}}',
                 f'%label: tensor<{BATCH}xi32> {{graph.input = "label"}}']
    body, last = [], "%x"
    for i in range(layers):
        arguments += [
            f'%w{i}: {w} {{graph.parameter = "layer{i}.weight", graph.init = #graph.normal<0.0, 0.1>}}',
            f'%b{i}: {b} {{graph.parameter = "layer{i}.bias", graph.init = #graph.zeros}}']
        body += [
            f"%m{i} = graph.matmul {last}, %w{i} : ({h}, {w}) -> {h}",
            f"%s{i} = graph.add %m{i}, %b{i} : ({h}, {b}) -> {h}",
            f"%n{i} = graph.layer_norm %s{i} first_dim = 1 : ({h}) -> {h}" if norm else "",
            f"%g{i} = graph.gelu %n{i} : {h}" if norm else f"%g{i} = graph.relu %s{i} : {h}"]
        last = f"%g{i}"
    z = f"tensor<{BATCH}x{CLASSES}xf32>"
    arguments += [f'%head: tensor<{WIDTH}x{CLASSES}xf32> '
                  '{graph.parameter = "head", graph.init = #graph.normal<0.0, 0.1>}']
    body += [f"%logits = graph.matmul {last}, %head : ({h}, tensor<{WIDTH}x{CLASSES}xf32>) -> {z}",
             f"%loss = graph.cross_entropy %logits, %label : ({z}, tensor<{BATCH}xi32>) -> tensor<f32>",
             f"return %loss, %logits : tensor<f32>, {z}"]
    print("func.func @deep(\n    " + ",\n    ".join(arguments) + ")")
    print(f'    -> (tensor<f32> {{graph.loss}}, {z} {{graph.output = "logits"}})')
    print('    attributes {graph.training = #graph.training<precision = "fp16", '
          'loss_scale = #graph.loss_scale<mode = "dynamic">, '
          'optimizer = #graph.optimizer<name = "adamw", lr = 0.001>, clip = #graph.clip<norm = 1.0>>} {')
    print("  " + "\n  ".join(body))
    print("}")


if __name__ == "__main__":
    main()
