// RUN: mpc-opt %s --mpc-convert-graph-to-exec | FileCheck %s
// Functions become entries, states are declared once, equal groups share a
// kernel, views are free, and buffers say what they hold.

// CHECK: module attributes {exec.model = "m", exec.target = "cpu", graph.training = #graph.training<{{.*}}rounding = "strict"

// CHECK: exec.state_decl "w" parameter : memref<4x4xf32> init #graph.zeros
// CHECK: exec.state_decl "w.f16" weight_copy of "w" : memref<4x4xf16>
// CHECK-NOT: exec.state_decl

// CHECK: exec.kernel @[[NEG:k_[0-9a-f]*]] extent = {{[0-9]+}} grain = {{[0-9]+}} reads = 64 writes = 64 in_place = [0, 0] strict
// CHECK-NOT: because
// CHECK-NOT: exec.kernel @[[NEG]]

// CHECK: exec.entry @forward {
// CHECK: %[[X:.*]] = exec.input "x" : memref<4x4xf32>
// CHECK: %[[W:.*]] = exec.state "w" : memref<4x4xf32>
// CHECK: %[[A:.*]] = exec.alloc : memref<4x4xf32>
// CHECK: exec.launch @[[NEG]] ins(%[[X]] : memref<4x4xf32>) outs(%[[A]] : memref<4x4xf32>)
// CHECK: %[[B:.*]] = exec.alloc as output : memref<4x4xf32>
// CHECK: exec.launch @[[NEG]] ins(%[[A]] : memref<4x4xf32>) outs(%[[B]] : memref<4x4xf32>)
// CHECK: %[[V:.*]] = exec.view %[[B]] : memref<4x4xf32> to memref<16xf32>
// CHECK: %[[C:.*]] = exec.constant : memref<2xf32> = dense<[1.{{.*}}, 2.{{.*}}]> : tensor<2xf32>
// CHECK: exec.output "y" %[[V]] : memref<16xf32>
// CHECK: exec.output "c" %[[C]]
// An input is not where an output can stay.
// CHECK: %[[COPY:.*]] = exec.alloc as output : memref<4x4xf32>
// CHECK: exec.copy %[[X]] to %[[COPY]]
// CHECK: exec.output "x_again" %[[COPY]]
// CHECK: exec.output "w_now" %[[W]]
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"},
             %w: tensor<4x4xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<16xf32> {graph.output = "y"}, tensor<2xf32> {graph.output = "c"},
        tensor<4x4xf32> {graph.output = "x_again"}, tensor<4x4xf32> {graph.output = "w_now"})
    attributes {graph.entry = "forward", graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.group #graph.group_kind<row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %b = graph.neg %a {some.mark} : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
  %1 = graph.group #graph.group_kind<row> %0 : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%other: tensor<4x4xf32>):
    %b = graph.neg %other : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
  %2 = graph.reshape %1 : (tensor<4x4xf32>) -> tensor<16xf32>
  %3 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %2, %3, %x, %w : tensor<16xf32>, tensor<2xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Updates: a value of its own is donated, a state or a value that is taken is
// copied, the state itself is no update. What leaves the state as an output is
// copied before the state changes. The loss parts activations from the rest.
// CHECK: exec.entry @step {
// CHECK: %[[T:.*]] = exec.view %{{.*}} : memref<4x4xf16> to memref<4x4xf16, strided<[1, 4]>>
// CHECK: %[[G:.*]] = exec.alloc as activation : memref<4x4xf16>
// CHECK: exec.call #exec.matmul<epilogue = gelu_tanh> ins(lhs %{{.*}} : memref<4x4xf16>, rhs %[[T]] : memref<4x4xf16, strided<[1, 4]>>, bias %{{.*}} : memref<4xf16>) outs(result %[[G]] : memref<4x4xf16>)
// CHECK: %[[LOSS:.*]] = exec.alloc as output : memref<f32>
// CHECK: exec.launch {{.*}} outs(%[[LOSS]] : memref<f32>)
// CHECK: %[[D:.*]] = exec.alloc as gradient : memref<4x4xf32>
// CHECK: exec.launch {{.*}} ins(%[[G]] : memref<4x4xf16>) outs(%[[D]] : memref<4x4xf32>)
// CHECK: %[[R:.*]] = exec.alloc as gradient : memref<4x4xf32>
// CHECK: exec.all_reduce <average> ins(%[[D]] : {{.*}}) outs(%[[R]] : {{.*}}) group = "data"
// CHECK: exec.launch {{.*}} outs(%[[NW:.*]], %[[NC:.*]] : memref<4x4xf32>, memref<4x4xf16>)
// CHECK: exec.update "w" = %[[NW]]
// CHECK: exec.update "w.f16" = %[[NC]]
// CHECK-NOT: exec.update
// CHECK: exec.output "loss" %[[LOSS]]
// CHECK: exec.copy %{{.*}} to %[[OLD:.*]] : memref<4x4xf32>
// CHECK: exec.output "w_old" %[[OLD]]
func.func @m_step(%x: tensor<4x4xf16> {graph.input = "x"}, %b: tensor<4xf16> {graph.input = "b"},
                  %w: tensor<4x4xf32> {graph.parameter = "w", graph.init = #graph.zeros},
                  %c: tensor<4x4xf16> {graph.state = #graph.state<"w.f16" weight_copy of "w">})
    -> (tensor<f32> {graph.loss}, tensor<4x4xf32> {graph.updates = "w"},
        tensor<4x4xf16> {graph.updates = "w.f16"}, tensor<4x4xf32> {graph.output = "w_old"})
    attributes {graph.entry = "step"} {
  %0 = graph.group #graph.group_kind<library> %x, %c, %b : (tensor<4x4xf16>, tensor<4x4xf16>, tensor<4xf16>) -> tensor<4x4xf16> {
  ^bb0(%l: tensor<4x4xf16>, %r: tensor<4x4xf16>, %bias: tensor<4xf16>):
    %p = graph.matmul %l, %r transpose_rhs : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
    %s = graph.add %p, %bias : (tensor<4x4xf16>, tensor<4xf16>) -> tensor<4x4xf16>
    %g = graph.gelu %s kind = <tanh> : tensor<4x4xf16>
    graph.yield %g : tensor<4x4xf16>
  }
  %loss = graph.group #graph.group_kind<row> %0 : (tensor<4x4xf16>) -> tensor<f32> {
  ^bb0(%a: tensor<4x4xf16>):
    %f = graph.cast %a because "loss is f32" : (tensor<4x4xf16>) -> tensor<4x4xf32>
    %s = graph.sum %f dims = [0, 1] : (tensor<4x4xf32>) -> tensor<f32>
    graph.yield %s : tensor<f32>
  }
  %d = graph.group #graph.group_kind<row> %0 : (tensor<4x4xf16>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf16>):
    %f = graph.cast %a : (tensor<4x4xf16>) -> tensor<4x4xf32>
    graph.yield %f : tensor<4x4xf32>
  }
  %r = graph.all_reduce #graph.reduce_kind<average> %d group = "data" bucket = 0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %n:2 = graph.group #graph.group_kind<row> %w, %r : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf16>) {
  ^bb0(%p: tensor<4x4xf32>, %q: tensor<4x4xf32>):
    %s = graph.sub %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %h = graph.cast %s : (tensor<4x4xf32>) -> tensor<4x4xf16>
    graph.yield %s, %h : tensor<4x4xf32>, tensor<4x4xf16>
  }
  return %loss, %n#0, %n#1, %w : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>
}
