// The step computes what the model computes, before and after its gradients,
// with the reference interpreter on random inputs.
// RUN: mpc-opt %s --mpc-differentiate | graph-eval - --function=model_step --compare=%s --compare-function=model --results=2
// RUN: mpc-opt %s --mpc-differentiate --canonicalize --cse | graph-eval - --function=model_step --compare=%s --compare-function=gradients_by_hand
func.func @model(%x: tensor<5x4xf64> {graph.input = "x"}, %w: tensor<4x3xf64> {graph.parameter = "w"},
                 %b: tensor<3xf64> {graph.parameter = "b"})
    -> (tensor<f64> {graph.loss}, tensor<5x3xf64> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<5x4xf64>, tensor<4x3xf64>) -> tensor<5x3xf64>
  %1 = graph.add %0, %b : (tensor<5x3xf64>, tensor<3xf64>) -> tensor<5x3xf64>
  %2 = graph.mul %1, %1 : (tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xf64>
  %3 = graph.sum %2 dims = [0, 1] : (tensor<5x3xf64>) -> tensor<f64>
  return %3, %1 : tensor<f64>, tensor<5x3xf64>
}

// With y = x w + b and loss = sum(y^2): dw = 2 x^T y, db = 2 (1 ... 1) y.
func.func @gradients_by_hand(%x: tensor<5x4xf64>, %w: tensor<4x3xf64>, %b: tensor<3xf64>)
    -> (tensor<f64>, tensor<5x3xf64>, tensor<4x3xf64>, tensor<3xf64>) {
  %0 = graph.matmul %x, %w : (tensor<5x4xf64>, tensor<4x3xf64>) -> tensor<5x3xf64>
  %y = graph.add %0, %b : (tensor<5x3xf64>, tensor<3xf64>) -> tensor<5x3xf64>
  %two = graph.constant dense<2.0> : tensor<f64>
  %square = graph.pow %y, %two : (tensor<5x3xf64>, tensor<f64>) -> tensor<5x3xf64>
  %loss = graph.sum %square dims = [0, 1] : (tensor<5x3xf64>) -> tensor<f64>
  %dy = graph.mul %y, %two : (tensor<5x3xf64>, tensor<f64>) -> tensor<5x3xf64>
  %dw = graph.matmul %x, %dy transpose_lhs : (tensor<5x4xf64>, tensor<5x3xf64>) -> tensor<4x3xf64>
  %ones = graph.constant dense<1.0> : tensor<1x5xf64>
  %row = graph.matmul %ones, %dy : (tensor<1x5xf64>, tensor<5x3xf64>) -> tensor<1x3xf64>
  %db = graph.reshape %row : (tensor<1x3xf64>) -> tensor<3xf64>
  return %loss, %y, %dw, %db : tensor<f64>, tensor<5x3xf64>, tensor<4x3xf64>, tensor<3xf64>
}
