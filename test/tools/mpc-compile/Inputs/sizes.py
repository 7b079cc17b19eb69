"""A model with a parameter, or with --constant an output, of as many f32; with
--npy FILE its input."""
import sys

if sys.argv[1] == "--npy":
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
    with open(sys.argv[2], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + b"\x76\x00" + header.ljust(117).encode() + b"\n" + bytes(16))
    sys.exit()
tensor = f"tensor<{sys.argv[-1]}xf32>"
training = 'attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>}'
if sys.argv[1] == "--constant":
    print(f"""func.func @m(%w: tensor<f32> {{graph.parameter = "w", graph.init = #graph.zeros}}) -> (tensor<f32> {{graph.loss}}, {tensor} {{graph.output = "c"}}) {training} {{
  %c = graph.constant dense<1.0> : {tensor}
  %loss = graph.exp %w : tensor<f32>
  return %loss, %c : tensor<f32>, {tensor}
}}""")
else:
    print(f"""func.func @m(
    %w: {tensor} {{graph.parameter = "w", graph.init = #graph.zeros}},
    %x: tensor<4xf32> {{graph.input = "x"}}) -> (tensor<f32> {{graph.loss}}) {training} {{
  %0 = graph.mul %w, %w : ({tensor}, {tensor}) -> {tensor}
  %1 = graph.sum %0 dims = [0] : ({tensor}) -> tensor<f32>
  %2 = graph.sum %x dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %loss = graph.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}}""")
