// What only target cuda has: calls on lists of tensors, and products that store
// something besides.
// RUN: mpc-opt %s --mpc-convert-graph-to-exec | FileCheck %s
// RUN: mpc-opt %s --mpc-convert-graph-to-exec --mpc-plan-buffers --mpc-verify-exec | FileCheck %s --check-prefix=PLAN

// CHECK: module attributes {exec.model = "f", exec.target = "cuda"}

// What stands beside the products of @f below, as kernels for where the library
// has no algorithm for both: bias, function and its input, in place of the plain
// product; its derivative.
// CHECK: exec.kernel @[[GELU:k_[0-9a-f]+]] {{.*}} in_place = [0, 0, 0, 1] {
// CHECK: %[[SUM:.*]] = graph.add %[[P:.*]], %{{.*}}
// CHECK: %[[F:.*]] = graph.gelu %[[SUM]] kind = <tanh>
// CHECK: graph.yield %[[F]], %[[SUM]]
// CHECK: exec.kernel @[[BACK:k_[0-9a-f]+]] {{.*}} in_place = [0, 0, 1, 0] {
// CHECK: graph.gelu_backward
// CHECK-NOT: exec.kernel
module attributes {graph.target = "cuda"} {

// Optional scalars first, then the shared ones, then the lists; every result
// has a buffer.
// CHECK-LABEL: exec.entry @step
// CHECK-DAG: %[[G:.*]] = exec.input "g" : memref<4xf16>
// CHECK-DAG: %[[W:.*]] = exec.state "w" : memref<4xf32>
// CHECK-DAG: %[[M:.*]] = exec.state "m" : memref<4xf32>
// CHECK-DAG: %[[V:.*]] = exec.state "v" : memref<4xf32>
// CHECK-DAG: %[[S:.*]] = exec.state "scale" : memref<f32>
// CHECK-DAG: %[[LR:.*]] = exec.state "lr" : memref<f32>
// CHECK-DAG: %[[T:.*]] = exec.state "t" : memref<i32>
// CHECK: exec.multi_tensor unscale_l2norm ins(%[[S]], %[[G]] : {{.*}}) outs(%[[INF:.*]], %[[NORM:.*]] : memref<i1>, memref<f32>) has_scale{{$}}
// CHECK: exec.multi_tensor adamw ins(%[[INF]], %[[S]], %[[NORM]], %[[LR]], %[[T]], %[[W]], %[[G]], %[[M]], %[[V]] : {{.*}}) outs(%[[NW:.*]], %[[NM:.*]], %[[NV:.*]], %[[NH:.*]] : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf16>) has_found_inf has_scale has_coefficient has_copies {beta1 = 9.000000e-01 : f64, beta2 = 0.99{{.*}}, epsilon = 1.{{.*}}, weight_decay = 5.000000e-01 : f64}
// CHECK: exec.update "w" = %[[NW]]
// CHECK: exec.update "w.f16" = %[[NH]]

// Planned, the next values are made in the memory of the old ones.
// PLAN-LABEL: exec.entry @step arena = 512
// PLAN-DAG: %[[W:.*]] = exec.state "w" :
// PLAN-DAG: %[[M:.*]] = exec.state "m" :
// PLAN-DAG: %[[V:.*]] = exec.state "v" :
// PLAN-DAG: %[[NW:.*]] = exec.renew %[[W]] :
// PLAN-DAG: %[[NM:.*]] = exec.renew %[[M]] :
// PLAN-DAG: %[[NV:.*]] = exec.renew %[[V]] :
// PLAN: exec.multi_tensor adamw ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[W]], %{{.*}}, %[[M]], %[[V]] : {{.*}}) outs(%[[NW]], %[[NM]], %[[NV]], %[[H:.*]] : {{.*}})
// PLAN-NOT: exec.copy
func.func @m(%g: tensor<4xf16> {graph.input = "g"},
             %w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.zeros},
             %h: tensor<4xf16> {graph.state = #graph.state<"w.f16" weight_copy of "w">},
             %m: tensor<4xf32> {graph.state = #graph.state<"m" moment of "w" init #graph.zeros>},
             %v: tensor<4xf32> {graph.state = #graph.state<"v" moment of "w" init #graph.zeros>},
             %scale: tensor<f32> {graph.state = #graph.state<"scale" loss_scale init #graph.fill<2.0>>},
             %lr: tensor<f32> {graph.state = #graph.state<"lr" learning_rate init #graph.fill<0.1>>},
             %t: tensor<i32> {graph.state = #graph.state<"t" counter init #graph.zeros>})
    -> (tensor<4xf32> {graph.updates = "w"}, tensor<4xf32> {graph.updates = "m"}, tensor<4xf32> {graph.updates = "v"}, tensor<4xf16> {graph.updates = "w.f16"}, tensor<f32> {graph.output = "norm"})
    attributes {graph.entry = "step"} {
  %inf, %norm = graph.unscale_l2norm %g scale %scale : (tensor<4xf16>, tensor<f32>) -> (tensor<i1>, tensor<f32>)
  %r:4 = graph.fused_adamw %w gradients %g exp_avgs %m exp_avg_sqs %v lr %lr step %t found_inf %inf grad_scale %scale coefficient %norm copies = f16 {weight_decay = 0.5 : f64} : (tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>, tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>)
  return %r#0, %r#1, %r#2, %r#3, %norm : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<f32>
}

// CHECK-LABEL: exec.entry @forward
// CHECK: %[[X:.*]] = exec.input "x"
// CHECK: %[[W:.*]] = exec.input "w"
// CHECK: %[[B:.*]] = exec.input "b"
// The value before the function is the second output.
// CHECK: exec.call #exec.matmul<epilogue = gelu_tanh> ins(lhs %[[X]] : {{.*}}, rhs %[[W]] : {{.*}}, bias %[[B]] : {{.*}}) outs(result %[[Y:.*]] : memref<8x8xf16>, aux %[[U:.*]] : memref<8x8xf16>) tail = @[[GELU]] [3, 2, 3, 4]{{$}}
// The derivative reads it. Beside the product of the weight's gradient is nothing.
// CHECK: exec.call #exec.matmul<epilogue = gelu_tanh, derivative = true> ins(lhs %[[Y]] : {{.*}}, rhs %[[W]] : {{.*}}, aux %[[U]] : {{.*}}) outs(result %[[D:.*]] : memref<8x8xf16>) tail = @[[BACK]] [3, 2, 3]{{$}}
// CHECK: %[[T:.*]] = exec.view %[[X]] : memref<8x8xf16> to memref<8x8xf16, strided<[1, 8]>>
// CHECK: exec.call #exec.matmul ins(lhs %[[T]] : {{.*}}, rhs %[[D]] : {{.*}}) outs(result %[[DW:.*]] : memref<8x8xf16>){{$}}
// CHECK: exec.output "dw" %[[DW]]
func.func @f(%x: tensor<8x8xf16> {graph.input = "x"}, %w: tensor<8x8xf16> {graph.input = "w"}, %b: tensor<8xf16> {graph.input = "b"})
    -> (tensor<8x8xf16> {graph.output = "dw"}) attributes {graph.entry = "forward"} {
  %0:2 = graph.group <library> %x, %w, %b : (tensor<8x8xf16>, tensor<8x8xf16>, tensor<8xf16>) -> (tensor<8x8xf16>, tensor<8x8xf16>) {
  ^bb0(%a0: tensor<8x8xf16>, %a1: tensor<8x8xf16>, %a2: tensor<8xf16>):
    %p = graph.matmul %a0, %a1 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    %u = graph.add %p, %a2 : (tensor<8x8xf16>, tensor<8xf16>) -> tensor<8x8xf16>
    %y = graph.gelu %u kind = <tanh> : tensor<8x8xf16>
    graph.yield %u, %y : tensor<8x8xf16>, tensor<8x8xf16>
  }
  %1 = graph.group <library> %0#1, %w, %0#0 : (tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16> {
  ^bb0(%a0: tensor<8x8xf16>, %a1: tensor<8x8xf16>, %a2: tensor<8x8xf16>):
    %p = graph.matmul %a0, %a1 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    %d = graph.gelu_backward %p, %a2 kind = <tanh> : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    graph.yield %d : tensor<8x8xf16>
  }
  %2 = graph.group <library> %x, %1 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16> {
  ^bb0(%a0: tensor<8x8xf16>, %a1: tensor<8x8xf16>):
    %p = graph.matmul %a0, %a1 transpose_lhs : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    graph.yield %p : tensor<8x8xf16>
  }
  return %2 : tensor<8x8xf16>
}
}
