// B4, TensorFlow's BidirectionalClearChain (ShapeN, a clear op on both, is
// concat here): 16 bits flow backwards and across through clear ops; one shared
// cast down, two up. The same with the bf16 lists (B16).
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s -DT=f16
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | FileCheck %s -DT=bf16
// CHECK: func.func
// CHECK-NEXT: %[[X:.*]] = graph.cast %{{.*}} because "clear: relu runs in [[T]]"
// CHECK-NEXT: %[[C1:.*]] = graph.relu %[[X]] : tensor<32x32x[[T]]>
// CHECK-NEXT: %[[C2:.*]] = graph.relu %[[X]] : tensor<32x32x[[T]]>
// CHECK-NEXT: graph.matmul %[[C1]], %[[C1]] : {{.*}} -> tensor<32x32x[[T]]>
// CHECK-NEXT: graph.cast {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.concat %[[C1]], %[[C2]] {{.*}} -> tensor<64x32x[[T]]>
// CHECK-NEXT: graph.relu %[[C2]] : tensor<32x32x[[T]]>
// CHECK-NEXT: graph.cast {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"}) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %clr1 = graph.relu %x : tensor<32x32xf32>
  %clr2 = graph.relu %x : tensor<32x32xf32>
  %allow1 = graph.matmul %clr1, %clr1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr3 = graph.concat %clr1, %clr2 dim = 0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %clr4 = graph.relu %clr2 : tensor<32x32xf32>
  %fetch1 = graph.reshape %allow1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %fetch2 = graph.reshape %clr4 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch1, %fetch2 : tensor<32x32xf32>, tensor<32x32xf32>
}
