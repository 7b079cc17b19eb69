// The backward finishes c, then b, then a; buckets fill in this order and stand
// right after their last gradient. 2 x f32 are 8 bytes.
// RUN: mpc-opt %s --mpc-insert-all-reduce="bucket-bytes=16" --mpc-verify-reduce | FileCheck %s
// RUN: mpc-opt %s --mpc-insert-all-reduce="bucket-bytes=1 reduce=sum" --mpc-verify-reduce | FileCheck %s --check-prefix=EACH
// RUN: mpc-opt %s --mpc-insert-all-reduce --mpc-verify-reduce | FileCheck %s --check-prefix=ONE
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce=none" --mpc-verify-reduce | FileCheck %s --check-prefix=ALONE
//
// A step that trains alone is marked, and its gradients are left as they are.
// ALONE-NOT: graph.all_reduce
// ALONE: @scaled{{.*}}graph.single_rank
// ALONE-NOT: graph.all_reduce
//
// On one rank an average is the identity, however many buckets there are.
// RUN: mpc-opt %s --mpc-insert-all-reduce="bucket-bytes=1" | graph-eval - --function=scaled --compare=%s --rtol=0 --atol=0
// RUN: mpc-opt %s --mpc-insert-all-reduce | graph-eval - --function=scaled --compare=%s --rtol=0 --atol=0

// CHECK-LABEL: func.func @scaled
// CHECK: %[[C:.*]] = graph.mul
// CHECK-NEXT: %[[B:.*]] = graph.neg
// CHECK-NEXT: %[[R:.*]]:2 = graph.all_reduce <average> %[[C]], %[[B]] group = "data" bucket = 0
// CHECK-NEXT: %[[A:.*]] = graph.exp %[[B]]
// CHECK-NEXT: %[[RA:.*]] = graph.all_reduce <average> %[[A]] group = "data" bucket = 1
// CHECK: graph.unscale %{{.*}}, %[[RA]], %[[R]]#1, %[[R]]#0
// EACH-LABEL: func.func @scaled
// EACH-COUNT-3: graph.all_reduce <sum>
// EACH-NOT: graph.all_reduce
// EACH-LABEL: func.func @plain
// ONE-LABEL: func.func @scaled
// ONE: graph.all_reduce <average> %{{.*}}, %{{.*}}, %{{.*}} group
// ONE-NOT: graph.all_reduce
// ONE: graph.unscale
func.func @scaled(%x: tensor<2xf32> {graph.input = "x"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>})
    -> (tensor<2xf32> {graph.gradient = "a"}, tensor<2xf32> {graph.gradient = "b"}, tensor<2xf32> {graph.gradient = "c"})
    attributes {graph.entry = "step"} {
  %c = graph.mul %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = graph.neg %c : tensor<2xf32>
  %a = graph.exp %b : tensor<2xf32>
  %u:3, %inf = graph.unscale %s, %a, %b, %c : (tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i1>)
  return %u#0, %u#1, %u#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Without unscale the results are reduced; a value that is the gradient of two
// parameters travels once; f64 does not travel with f32; an
// output keeps the value of this rank.
// ONE-LABEL: func.func @plain
// ONE: %[[G:.*]] = graph.neg
// ONE-NEXT: %[[RG:.*]] = graph.all_reduce <average> %[[G]] group = "data" bucket = 0
// ONE-NEXT: %[[H:.*]] = graph.cast %[[G]]
// ONE-NEXT: %[[RH:.*]] = graph.all_reduce <average> %[[H]] group = "data" bucket = 1
// ONE: return %[[G]], %[[RG]], %[[RG]], %[[RH]]
func.func @plain(%x: tensor<2xf32> {graph.input = "x"})
    -> (tensor<2xf32> {graph.output = "y"}, tensor<2xf32> {graph.gradient = "a"}, tensor<2xf32> {graph.gradient = "b"}, tensor<2xf64> {graph.gradient = "c"})
    attributes {graph.entry = "step"} {
  %g = graph.neg %x : tensor<2xf32>
  %h = graph.cast %g : (tensor<2xf32>) -> tensor<2xf64>
  return %g, %g, %g, %h : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>
}
