// The effective settings: what is given wins over what the model says, and that
// over the defaults.
// RUN: mpc-opt %s --mpc-apply-options | FileCheck %s --check-prefix=MODEL
// RUN: mpc-opt %s --mpc-apply-options="precision=bf16 autocast=torch rounding=strict loss-scale=dynamic scale-init=128 scale-growth=4 scale-backoff=0.25 scale-interval=10 optimizer=adamw lr=0.5 weight-decay=0.25 beta1=0.5 beta2=0.75 epsilon=0.125 clip-norm=2 bucket-bytes=7" | FileCheck %s --check-prefix=ALL
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=dynamic scale-init=4 momentum=0.5 nesterov=true" | FileCheck %s --check-prefix=SGD
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=none" | FileCheck %s --check-prefix=NONE
// A value equal to the default is not printed.
// MODEL: #graph.training<precision = "fp16", loss_scale = <mode = "dynamic">, optimizer = <name = "sgd", lr = 0.1>>
// ALL: #graph.training<precision = "bf16", autocast = "torch", rounding = "strict", loss_scale = <mode = "dynamic", init = 128.0, growth = 4.0, backoff = 0.25, interval = 10>, optimizer = <name = "adamw", lr = 0.5, beta1 = 0.5, beta2 = 0.75, epsilon = 0.125, weight_decay = 0.25>, clip = <norm = 2.0>, bucket_bytes = 7>
// SGD: loss_scale = <mode = "dynamic", init = 4.0>, optimizer = <name = "sgd", lr = 0.1, momentum = 0.5, nesterov = true>
// NONE: loss_scale = <mode = "none">
func.func @model(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<precision = "fp16", loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %y = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %y dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
// A function that is no model is left alone, a model without settings gets them.
// MODEL: func.func @plain
// MODEL-NOT: graph.training
// MODEL: func.func @silent
// MODEL-SAME: graph.training = #graph.training<loss_scale = <mode = "none">>
func.func @plain(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @silent(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %y dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
