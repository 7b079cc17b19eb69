// The gradients of a norm are f32, those of a product bf16: a check and an
// update for each, whose norms are one norm. In exact numbers nothing changes.
// RUN: mpc-opt %s --compile-to=simplify --precision=bf16 --reduce=none -o %t.mlir
// RUN: mpc-opt %t.mlir --mpc-set-target=target=cuda --mpc-fuse-updates -o %t.fused.mlir
// RUN: FileCheck %s --input-file=%t.fused.mlir
// RUN: graph-eval %t.fused.mlir --function=m_step --compare=%t.mlir --rtol=1e-7 --atol=1e-9
// What either of the two finds skips the step: every state keeps every bit.
// RUN: mpc-opt %s --compile-to=simplify --precision=fp16 --reduce=none -o %t.mlir
// RUN: mpc-opt %t.mlir --mpc-set-target=target=cuda --mpc-fuse-updates -o %t.fused.mlir
// RUN: graph-eval %t.fused.mlir --rounded --function=m_step --input=scaler.scale=1e30 | grep -v grad_norm > %t.after
// RUN: graph-eval %t.mlir --rounded --function=m_step --input=scaler.scale=1e30 | grep -v grad_norm > %t.before
// RUN: grep "output found_inf: tensor<i1> = .1." %t.after
// RUN: diff %t.before %t.after

// CHECK-LABEL: func.func @m_step
// CHECK-DAG: graph.unscale_l2norm %{{.*}}, %{{.*}} scale %{{[^ ]*}} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>)
// CHECK-DAG: graph.unscale_l2norm %{{.*}}, %{{.*}} scale %{{[^ ]*}} : (tensor<{{[^,]*}}xbf16>, tensor<{{[^,]*}}xbf16>, tensor<f32>)
// CHECK-COUNT-2: graph.fused_adamw
// CHECK-NOT: graph.adamw
func.func @m(%x: tensor<6x4xf32> {graph.input = "x"},
    %w: tensor<4x8xf32> {graph.parameter = "0.weight", graph.init = #graph.normal<0.0, 0.5>},
    %s: tensor<8xf32> {graph.parameter = "norm.weight", graph.init = #graph.fill<1.0>},
    %b: tensor<8xf32> {graph.parameter = "norm.bias", graph.init = #graph.zeros},
    %v: tensor<8x2xf32> {graph.parameter = "1.weight", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 256.0>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.01>,
      clip = #graph.clip<norm = 0.5>>} {
  %0 = graph.matmul %x, %w : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %1 = graph.layer_norm %0 weight %s bias %b first_dim = 1 : (tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %2 = graph.matmul %1, %v : (tensor<6x8xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %3 = graph.mul %2, %2 : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %loss = graph.mean %3 dims = [0, 1] : (tensor<6x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
