// RUN: mpc-opt %s --mpc-differentiate --split-input-file --verify-diagnostics -o /dev/null
// RUN: not mpc-opt %s --mpc-differentiate=werror=true --split-input-file 2>&1 | FileCheck %s --check-prefix=WERROR
// RUN: mpc-opt %s --mpc-differentiate=forward-only=true --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORWARD --allow-empty
// Who gives a model an optimizer wants it to be trained.
// WERROR: error: model 'no_loss' has an optimizer, but no result that is marked 'graph.loss'
// WERROR: error: model 'all_frozen' has an optimizer
// FORWARD-NOT: warning: model

// expected-warning @+1 {{model 'no_loss' has an optimizer, but no result that is marked 'graph.loss', as in '-> (tensor<f32> {graph.loss})': it gets no step and cannot be trained; to predict alone is to compile with --inference}}
func.func @no_loss(%x: tensor<4xf32> {graph.input = "x"}, %w: tensor<4xf32> {graph.parameter = "w"}) -> (tensor<4xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = <name = "sgd", lr = 0.1>>} {
  %0 = graph.mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-warning @+1 {{model 'all_frozen' has an optimizer, but no parameter that is not frozen: it gets no step}}
func.func @all_frozen(%w: tensor<f32> {graph.parameter = "w", graph.frozen}) -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = <name = "sgd", lr = 0.1>>} {
  return %w : tensor<f32>
}

// -----

// Its precision is said of predictions, too.
func.func @precision(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"})
    attributes {graph.training = #graph.training<precision = "bf16">} {
  return %w : tensor<f32>
}
