// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/samples.py %t/x.npy 6 5 7
// RUN: mpc-compile %s -o %t/m.mpcx
// RUN: %python -c "open('%t/none.safetensors','wb').write(bytes([2,0,0,0,0,0,0,0])+b'{}')"
// RUN: mpc-run eval %t/m.mpcx --weights %t/none.safetensors --input x=%t/x.npy --output a=%t/a.npy --output b=%t/b.npy --output c=%t/c.npy --output d=%t/d.npy --output e=%t/e.npy --output f=%t/f.npy --output g=%t/g.npy --output h=%t/h.npy --output i=%t/i.npy --output j=%t/j.npy
// RUN: graph-eval %s --function=values --input=x=%t/x.npy "--expect=output a"=%t/a.npy "--expect=output b"=%t/b.npy "--expect=output c"=%t/c.npy "--expect=output d"=%t/d.npy "--expect=output e"=%t/e.npy "--expect=output f"=%t/f.npy "--expect=output g"=%t/g.npy "--expect=output h"=%t/h.npy "--expect=output i"=%t/i.npy "--expect=output j"=%t/j.npy --rtol=2e-5 --atol=2e-6
// From model to program to runtime: what comes out is what the reference
// interpreter computes in f64. Odd sizes, several ranks, every kind of step:
// kernels by row, by column and of movement, products in batches, constants,
// views, copies of inputs.
func.func @values(%x: tensor<6x5x7xf32> {graph.input = "x"})
    -> (tensor<6x5x7xf32> {graph.output = "a"}, tensor<6x5x7xf32> {graph.output = "b"},
        tensor<6x7x5xf32> {graph.output = "c"}, tensor<6x5x5xf32> {graph.output = "d"},
        tensor<6x35xf32> {graph.output = "e"}, tensor<6x5x7xf32> {graph.output = "f"},
        tensor<6xf32> {graph.output = "g"}, tensor<6x3x2xf32> {graph.output = "h"},
        tensor<6x8x9xf32> {graph.output = "i"}, tensor<6x10x7xf32> {graph.output = "j"}) {
  %a = graph.softmax %x dim = 2 : (tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %b = graph.log_softmax %x dim = 1 : (tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %c = graph.transpose %a permutation = [0, 2, 1] : (tensor<6x5x7xf32>) -> tensor<6x7x5xf32>
  %p = graph.matmul %x, %c : (tensor<6x5x7xf32>, tensor<6x7x5xf32>) -> tensor<6x5x5xf32>
  %v = graph.constant dense<[1.0, -2.0, 0.5, 3.0, -0.25]> : tensor<5xf32>
  %q = graph.add %p, %v : (tensor<6x5x5xf32>, tensor<5xf32>) -> tensor<6x5x5xf32>
  %d = graph.gelu %q : tensor<6x5x5xf32>
  %e = graph.reshape %x : (tensor<6x5x7xf32>) -> tensor<6x35xf32>
  %m = graph.mean %x dims = [0, 1] keep : (tensor<6x5x7xf32>) -> tensor<1x1x7xf32>
  %f = graph.sub %x, %m : (tensor<6x5x7xf32>, tensor<1x1x7xf32>) -> tensor<6x5x7xf32>
  %s = graph.mul %f, %f : (tensor<6x5x7xf32>, tensor<6x5x7xf32>) -> tensor<6x5x7xf32>
  %g = graph.sum %s dims = [1, 2] : (tensor<6x5x7xf32>) -> tensor<6xf32>
  %h = graph.slice %x offsets = [0, 1, 4] sizes = [6, 3, 2] : (tensor<6x5x7xf32>) -> tensor<6x3x2xf32>
  %i = graph.pad %x low = [0, 1, 2] high = [0, 2, 0] : (tensor<6x5x7xf32>) -> tensor<6x8x9xf32>
  %t = graph.tanh %x : tensor<6x5x7xf32>
  %j = graph.concat %t, %x dim = 1 : (tensor<6x5x7xf32>, tensor<6x5x7xf32>) -> tensor<6x10x7xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : tensor<6x5x7xf32>, tensor<6x5x7xf32>, tensor<6x7x5xf32>, tensor<6x5x5xf32>, tensor<6x35xf32>, tensor<6x5x7xf32>, tensor<6xf32>, tensor<6x3x2xf32>, tensor<6x8x9xf32>, tensor<6x10x7xf32>
}
