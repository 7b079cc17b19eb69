// Gradients travel in another type than they are in; f64 stays. What the casts
// round is all that differs.
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-type=bf16" --mpc-verify-reduce | FileCheck %s
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-type=f32" --mpc-verify-reduce | FileCheck %s --check-prefix=WIDE
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-type=gradient" | FileCheck %s --check-prefix=SAME
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-type=bf16" | graph-eval - --function=step --compare=%s --rtol=0.004 --atol=0
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-type=f32" | graph-eval - --function=step --compare=%s --rtol=0 --atol=0
//
// The cast stands behind the gradient, so that what makes it may write it so.
// CHECK: %[[A:.*]] = graph.mul %arg0, %arg0
// CHECK-NEXT: %[[SA:.*]] = graph.cast %[[A]] because "reduce-type" : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK-NEXT: %[[B:.*]] = graph.neg %[[A]]
// CHECK-NEXT: %[[SB:.*]] = graph.cast %[[B]] because "reduce-type" : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK-NEXT: %[[R:.*]]:2 = graph.all_reduce <average> %[[SA]], %[[SB]] group = "data" bucket = 0 : (tensor<2xbf16>, tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xbf16>)
// CHECK: graph.cast %[[R]]#{{[01]}} because "reduce-type" : (tensor<2xbf16>) -> tensor<2xf32>
// CHECK: graph.all_reduce <average> %{{.*}} group = "data" bucket = 1 : (tensor<2xf64>) -> tensor<2xf64>
// WIDE: graph.all_reduce <average> %{{.*}}, %{{.*}} group = "data" bucket = 0 : (tensor<2xf32>, tensor<2xf32>)
// WIDE-NOT: "reduce-type"
// SAME-NOT: "reduce-type"
func.func @step(%x: tensor<2xf32> {graph.input = "x"}, %y: tensor<2xf64> {graph.input = "y"})
    -> (tensor<2xf32> {graph.gradient = "a"}, tensor<2xf32> {graph.gradient = "b"}, tensor<2xf64> {graph.gradient = "c"})
    attributes {graph.entry = "step"} {
  %a = graph.mul %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = graph.neg %a : tensor<2xf32>
  %c = graph.neg %y : tensor<2xf64>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf64>
}
