// The backward of what the forward does first comes last: of casts of weights.
// They move up behind what is cast, or nothing would be left to hide the
// all-reduces.
// RUN: mpc-opt %s --mpc-insert-all-reduce="bucket-bytes=1" --mpc-verify-reduce | FileCheck %s
// RUN: mpc-opt %s --mpc-insert-all-reduce="bucket-bytes=1" | graph-eval - --function=step --compare=%s --rtol=0 --atol=0
//
// CHECK: %[[A:.*]] = graph.mul
// CHECK-NEXT: %[[B:.*]] = graph.exp %[[A]]
// CHECK-NEXT: %[[WB:.*]] = graph.cast %[[B]]
// CHECK-NEXT: graph.all_reduce <average> %[[WB]] group = "data" bucket = 0
// CHECK-NEXT: graph.tanh %[[B]]
// CHECK-NEXT: %[[LATE:.*]] = graph.sqrt %[[A]]
// CHECK-NEXT: %[[ONE:.*]] = graph.cast %[[LATE]]
// CHECK-NEXT: %[[TWO:.*]] = graph.cast %[[ONE]]
// CHECK-NEXT: graph.all_reduce <average> %[[TWO]]
// CHECK-NEXT: %[[NA:.*]] = graph.neg %[[A]]
// CHECK-NEXT: %[[WA:.*]] = graph.cast %[[NA]]
// CHECK-NEXT: graph.all_reduce <average> %[[WA]]
func.func @step(%x: tensor<2xf16> {graph.input = "x"})
    -> (tensor<2xf16> {graph.output = "t"}, tensor<2xf16> {graph.output = "s"}, tensor<2xf32> {graph.gradient = "a"}, tensor<2xf32> {graph.gradient = "b"},
        tensor<2xf32> {graph.gradient = "c"})
    attributes {graph.entry = "step"} {
  %a = graph.mul %x, %x : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %b = graph.exp %a : tensor<2xf16>
  %t = graph.tanh %b : tensor<2xf16>
  %late = graph.sqrt %a : tensor<2xf16>
  %wb = graph.cast %b : (tensor<2xf16>) -> tensor<2xf32>
  %na = graph.neg %a : tensor<2xf16>
  %wa = graph.cast %na : (tensor<2xf16>) -> tensor<2xf32>
  %wide = graph.cast %late : (tensor<2xf16>) -> tensor<2xf64>
  %wc = graph.cast %wide : (tensor<2xf64>) -> tensor<2xf32>
  return %t, %late, %wa, %wb, %wc : tensor<2xf16>, tensor<2xf16>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
