// What a kernel makes is called by the op that makes it and stands at its line,
// whichever is the last op of the kernel; what a library call makes has the line
// of the call. Locations survive in text.
// RUN: mpc-opt %s --compile-to=exec --inference --mlir-print-debuginfo -o %t.mlir
// RUN: mpc-opt %t.mlir --mpc-print-memory=peak=true -o /dev/null 2>&1 | FileCheck %s
// CHECK: live at the peak of forward: 4 buffers
// CHECK-NEXT: while this runs: relu at print-peak-fused.mlir:[[# @LINE + 12]]{{$}}
// CHECK-NEXT: 64x32xf32 exp at print-peak-fused.mlir:[[# @LINE + 8]]{{$}}
// CHECK-NEXT: 64x8xf32 matmul at print-peak-fused.mlir:[[# @LINE + 6]]{{$}}
// CHECK-NEXT: 64x8xbf16 relu at print-peak-fused.mlir:[[# @LINE + 9]]{{$}}
// CHECK-NEXT: 64xf32 sum at print-peak-fused.mlir:[[# @LINE + 6]]{{$}}
func.func @model(%x: tensor<64x32xf32> {graph.input = "x"}, %w: tensor<32x8xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<64x32xf32> {graph.output = "a"}, tensor<64xf32> {graph.output = "b"}, tensor<64x8xf32> {graph.output = "c"}, tensor<64x8xbf16> {graph.output = "d"})
    attributes {graph.training = #graph.training<>} {
  %c = graph.matmul %x, %w : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  %a = graph.exp %x : tensor<64x32xf32>
  %b = graph.sum %a dims = [1] : (tensor<64x32xf32>) -> tensor<64xf32>
  %n = graph.neg %c : tensor<64x8xf32>
  %r = graph.relu %n : tensor<64x8xf32>
  %d = graph.cast %r : (tensor<64x8xf32>) -> tensor<64x8xbf16>
  return %a, %b, %c, %d : tensor<64x32xf32>, tensor<64xf32>, tensor<64x8xf32>, tensor<64x8xbf16>
}
