// Profiles of PyTorch bring the defaults of torch.optim: AdamW's weight decay is
// 0.01 (torch/optim/adamw.py of PyTorch 2.15.0) for the training's optimizer and
// for groups, from the model or the options, where nobody gives one.
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cpu" | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cuda" | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cpu weight-decay=0" | FileCheck %s --check-prefix=ZERO
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cpu weight-decay=0.5" | FileCheck %s --check-prefix=HALF
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cpu optimizer=adam" | FileCheck %s --check-prefix=ADAM
// RUN: mpc-opt %s --mpc-apply-options | FileCheck %s --check-prefix=NONE
// RUN: mpc-opt %s --mpc-apply-options="profile=apex-O1" 2>/dev/null | FileCheck %s --check-prefix=NONE
// TORCH: optimizer = <name = "adamw", lr = 0.1, weight_decay = 0.01>
// TORCH-SAME: "a", pattern = "a.*", optimizer = <name = "adamw", lr = 0.1, weight_decay = 0.01>
// TORCH-SAME: "b", pattern = "b.*", optimizer = <name = "adamw", lr = 0.1, weight_decay = 0.0>
// TORCH-SAME: "c", pattern = "c.*", optimizer = <name = "sgd", lr = 0.1>
// ZERO: loss_scale = <mode = "none">, optimizer = <name = "adamw", lr = 0.1, weight_decay = 0.0>
// HALF: loss_scale = <mode = "none">, optimizer = <name = "adamw", lr = 0.1, weight_decay = 0.5>
// ADAM: loss_scale = <mode = "none">, optimizer = <name = "adam", lr = 0.1>
// NONE: optimizer = <name = "adamw", lr = 0.1>
// NONE-SAME: "a", pattern = "a.*", optimizer = <name = "adamw", lr = 0.1>
func.func @model(%x: tensor<2xf32> {graph.parameter = "x"}, %a: tensor<2xf32> {graph.parameter = "a"},
                 %b: tensor<2xf32> {graph.parameter = "b"}, %c: tensor<2xf32> {graph.parameter = "c"})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "adamw", lr = 0.1>,
      groups = [
        #graph.parameter_group<name = "a", pattern = "a.*", optimizer = #graph.optimizer<name = "adamw", lr = 0.1>>,
        #graph.parameter_group<name = "b", pattern = "b.*", optimizer = #graph.optimizer<name = "adamw", lr = 0.1, weight_decay = 0.0>>,
        #graph.parameter_group<name = "c", pattern = "c.*", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>]>} {
  %0 = graph.add %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.add %b, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.mul %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %2 dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
