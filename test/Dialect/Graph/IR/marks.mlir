// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --emit-bytecode | mpc-opt | FileCheck %s
// Marks and attributes round-trip; numbers are shortest decimals.

// CHECK-LABEL: func.func @step
// CHECK-SAME: graph.state = #graph.state<"scaler.scale" loss_scale init #graph.fill<16777216.0>>
// CHECK-SAME: graph.state = #graph.state<"w1.exp_avg" moment of "w1" init #graph.zeros>
// CHECK-SAME: {graph.loss, graph.output = "loss"}
// CHECK-SAME: {graph.gradient = "w1"}
// CHECK-SAME: {graph.updates = "w1"}
// CHECK-SAME: graph.entry = "step"
func.func @step(%x: tensor<4xf32> {graph.input = "x"},
                %w: tensor<4xf32> {graph.parameter = "w1", graph.init = #graph.uniform<-1, 1.0e-30>},
                %scale: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale init #graph.fill<16777216>>},
                %m: tensor<4xf32> {graph.state = #graph.state<"w1.exp_avg" moment of "w1" init #graph.zeros>})
    -> (tensor<f32> {graph.loss, graph.output = "loss"}, tensor<4xf32> {graph.gradient = "w1"},
        tensor<4xf32> {graph.updates = "w1"})
    attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %seed, %m, %w : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @numbers
// CHECK-SAME: #graph.fill<-1.0>
// CHECK-SAME: #graph.fill<1.0e-30>
// CHECK-SAME: #graph.fill<0.1>
// CHECK-SAME: #graph.fill<1.7976931348623157e+308>
// CHECK-SAME: #graph.fill<5.0e-324>
// CHECK-SAME: #graph.fill<-0.0>
// CHECK-SAME: #graph.fill<9007199254740994.0>
func.func @numbers(%0: tensor<f32> {graph.state = #graph.state<"0" hyperparameter init #graph.fill<-1>>},
                   %1: tensor<f32> {graph.state = #graph.state<"1" hyperparameter init #graph.fill<1.0e-30>>},
                   %2: tensor<f32> {graph.state = #graph.state<"2" hyperparameter init #graph.fill<0.1>>},
                   %3: tensor<f64> {graph.state = #graph.state<"3" hyperparameter init #graph.fill<1.7976931348623157e308>>},
                   %4: tensor<f64> {graph.state = #graph.state<"4" hyperparameter init #graph.fill<4.9e-324>>},
                   %5: tensor<f32> {graph.state = #graph.state<"5" hyperparameter init #graph.fill<-0.0>>},
                   %6: tensor<i64> {graph.state = #graph.state<"6" hyperparameter init #graph.fill<9007199254740994>>}) {
  return
}

// CHECK-LABEL: func.func @training
// CHECK-SAME: loss_scale = <mode = "dynamic", init = 16777216.0, growth = 4.0, backoff = 0.25, interval = 10>
// CHECK-SAME: optimizer = <name = "adamw", lr = 0.001, weight_decay = 0.01>
// CHECK-SAME: clip = <norm = 1.0>
func.func @training() attributes {graph.training = #graph.training<precision = "fp16",
    loss_scale = #graph.loss_scale<mode = "dynamic", init = 16777216, growth = 4, backoff = 0.25, interval = 10>,
    optimizer = #graph.optimizer<name = "adamw", lr = 1.0e-3, weight_decay = 0.01>, clip = #graph.clip<norm = 1>>} {
  return
}

// CHECK-LABEL: func.func @inputs
// CHECK-SAME: %{{.*}}: tensor<4xi32> {graph.classes = #graph.classes<count = 10, ignored = -100>, graph.input = "label", graph.loss_only}
// CHECK-SAME: %{{.*}}: tensor<4x8xi64> {graph.classes = #graph.classes<count = 50257>, graph.input = "token"}
func.func @inputs(%label: tensor<4xi32> {graph.input = "label", graph.loss_only, graph.classes = #graph.classes<count = 10, ignored = -100>},
                  %token: tensor<4x8xi64> {graph.input = "token", graph.classes = #graph.classes<count = 50257>}) {
  return
}
