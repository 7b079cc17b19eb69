// log_softmax, and a loss made of iota, compare and select.
// RUN: %compare --classes=11
// RUN: %compare --classes=11 --threads=1 -- --rounding=strict
func.func @nll(
    %x: tensor<31x7xf32> {graph.input = "x"},
    %label: tensor<31xi32> {graph.input = "label"},
    %w: tensor<7x11xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.3>},
    %s: tensor<1xf32> {graph.parameter = "s", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<31x11xf32> {graph.output = "logp"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.5>>} {
  %0 = graph.matmul %x, %w : (tensor<31x7xf32>, tensor<7x11xf32>) -> tensor<31x11xf32>
  %1 = graph.mul %0, %s : (tensor<31x11xf32>, tensor<1xf32>) -> tensor<31x11xf32>
  %logp = graph.log_softmax %1 dim = 1 : (tensor<31x11xf32>) -> tensor<31x11xf32>
  %i = graph.iota dim = 1 : tensor<31x11xi32>
  %l = graph.reshape %label : (tensor<31xi32>) -> tensor<31x1xi32>
  %hit = graph.compare <eq> %i, %l : (tensor<31x11xi32>, tensor<31x1xi32>) -> tensor<31x11xi1>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %picked = graph.select %hit, %logp, %zero : (tensor<31x11xi1>, tensor<31x11xf32>, tensor<f32>) -> tensor<31x11xf32>
  %sum = graph.sum %picked dims = [1] : (tensor<31x11xf32>) -> tensor<31xf32>
  %mean = graph.mean %sum dims = [0] : (tensor<31xf32>) -> tensor<f32>
  %loss = graph.neg %mean : tensor<f32>
  return %loss, %logp : tensor<f32>, tensor<31x11xf32>
}
