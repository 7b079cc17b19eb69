// Numbers in attributes need no point in front of an exponent.
// RUN: mpc-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: mpc-opt %s --allow-unregistered-dialect | mpc-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mpc-opt %s --allow-unregistered-dialect --emit-bytecode | mpc-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: #graph.optimizer<name = "adamw", lr = 0.001, beta1 = 0.5, beta2 = 0.25, epsilon = 1.0e-08, weight_decay = 120.0>
"test.a"() {a = #graph.optimizer<name = "adamw", lr = 1e-3, weight_decay = 12e1, beta1 = 5E-1, beta2 = 2.5e-1, epsilon = 1e-8>} : () -> ()
// CHECK: #graph.optimizer<name = "adamw", lr = 0.001, epsilon = 0.0, weight_decay = 1000.0>
"test.b"() {a = #graph.optimizer<name = "adamw", lr = 1e-3,weight_decay=1E+3, epsilon = 0e0>} : () -> ()
// CHECK: #graph.schedule<kind = "step", period = 2, gamma = 0.3>
"test.c"() {a = #graph.schedule<kind = "step", period = 2, gamma = 3e-01>} : () -> ()
// CHECK: #graph.loss_scale<mode = "dynamic", init = 16384.0, floor = 0.5>
"test.d"() {a = #graph.loss_scale<mode = "dynamic", init = 16384, floor = 5e-1>} : () -> ()
// CHECK: #graph.uniform<-0.002, 200.0>
"test.e"() {a = #graph.uniform<-2e-3, 2e2>} : () -> ()

// CHECK: graph.layer_norm %{{.*}} first_dim = 1 epsilon = 9.99{{9.*}}E-7 :
// CHECK: graph.layer_norm %{{.*}} first_dim = 1 epsilon = 1.000000e-03 :
// CHECK: graph.layer_norm %{{.*}} first_dim = 1 :
func.func @norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.layer_norm %x first_dim = 1 epsilon = 1e-6 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.layer_norm %0 first_dim = 1 epsilon = 1.0e-3 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.layer_norm %1 first_dim = 1 epsilon = 1e-5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
