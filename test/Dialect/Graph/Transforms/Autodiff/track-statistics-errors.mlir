// RUN: mpc-opt %s --mpc-differentiate --mpc-track-statistics --verify-diagnostics --split-input-file

func.func @parameters(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w"},
    // expected-note@+1 {{the argument}}
    %mean: tensor<3xf32> {graph.frozen, graph.parameter = "mean"}, %variance: tensor<3xf32> {graph.frozen, graph.parameter = "variance"})
    -> (tensor<f32> {graph.loss}) {
  // expected-error@+1 {{expected running statistics that a step can move, states of the model, but got another value as operand 2; mark the argument by 'graph.state = #graph.state<"name" running_statistic init #graph.zeros>' (of a variance: init #graph.fill<1.0>), or say 'inference' if they stay as they are}}
  %y = graph.batch_norm %x weight %w running %mean, %variance : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @one_value(%x: tensor<1x3xf32> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w"},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  // expected-error@+1 {{expected two values of a channel or more for its unbiased variance, but got 1x3; 'population' divides by their number alone}}
  %y = graph.batch_norm %x weight %w running %mean, %variance : (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<1x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @gradient(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w"}, %v: tensor<3xf32> {graph.input = "v"}) -> (tensor<f32> {graph.loss}) {
  // expected-error@+1 {{has no gradient for running statistics, but operand 1 depends on a parameter}}
  %y = graph.batch_norm %x running %w, %v inference : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
