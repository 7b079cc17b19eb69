// Parameter groups on a target with kernels for lists of tensors: a check with
// norm and a fused update per group, and numbers that do not change.
// RUN: mpc-opt %s --compile-to=simplify --precision=fp16 -o %t.mlir
// RUN: mpc-opt %t.mlir --mpc-set-target=target=cuda --mpc-fuse-updates -o %t.fused.mlir
// RUN: FileCheck %s --input-file=%t.fused.mlir
// RUN: graph-eval %t.fused.mlir --function=m_step --compare=%t.mlir --rtol=1e-6 --atol=1e-9
// RUN: graph-eval %t.fused.mlir --function=m_step --compare=%t.mlir --input=step=3 --input=decay.step=2 --input=scaler.scale=1024 --rtol=1e-6 --atol=1e-9
// CHECK-LABEL: func.func @m_step
// CHECK-COUNT-2: graph.unscale_l2norm
// CHECK-NOT: graph.unscale
// CHECK: graph.global_norm %{{[^,]*}}, %{{[^,]*}} : (tensor<f32>, tensor<f32>)
// CHECK-COUNT-2: graph.fused_adamw
// CHECK-NOT: graph.adamw
func.func @m(%x: tensor<6x4xf32> {graph.input = "x"},
    %w: tensor<4x4xf32> {graph.parameter = "0.weight", graph.init = #graph.normal<0.0, 0.5>},
    %b: tensor<4xf32> {graph.parameter = "0.bias", graph.init = #graph.zeros},
    %v: tensor<4x4xf32> {graph.parameter = "1.weight", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 256.0>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.01>,
      groups = [#graph.parameter_group<name = "decay", pattern = ".*weight", optimizer = #graph.optimizer<name = "adamw", lr = 0.02, weight_decay = 0.1>>],
      clip = #graph.clip<norm = 0.5>,
      schedule = #graph.schedule<kind = "linear", warmup = 2, total = 8>>} {
  %0 = graph.matmul %x, %w : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %1 = graph.add %0, %b : (tensor<6x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
  %2 = graph.tanh %1 : tensor<6x4xf32>
  %3 = graph.matmul %2, %v : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %4 = graph.mul %3, %3 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %loss = graph.mean %4 dims = [0, 1] : (tensor<6x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
