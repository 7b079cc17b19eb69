func.func @model(%x: tensor<f32> {graph.input = "x"})
    -> (tensor<400x500xf32> {graph.output = "uniform"}, tensor<400x500xf32> {graph.output = "normal"},
        tensor<400x500xi1> {graph.output = "flags"}, tensor<400x500xf32> {graph.output = "other"}, tensor<f32> {graph.output = "same"}) {
  %uniform = graph.uniform low = -1.0 high = 3.0 : () -> tensor<400x500xf32>
  %normal = graph.normal mean = 5.0 stddev = 2.0 : () -> tensor<400x500xf32>
  %flags = graph.bernoulli p = 0.2 : () -> tensor<400x500xi1>
  %other = graph.normal mean = 5.0 stddev = 2.0 : () -> tensor<400x500xf32>
  return %uniform, %normal, %flags, %other, %x : tensor<400x500xf32>, tensor<400x500xf32>, tensor<400x500xi1>, tensor<400x500xf32>, tensor<f32>
}
