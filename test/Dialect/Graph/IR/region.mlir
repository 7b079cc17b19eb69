// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --mlir-print-op-generic | mpc-opt | FileCheck %s
// A body ends by graph.yield, which is left out in text where it says nothing.

// CHECK-LABEL: func.func @bodies
func.func @bodies(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.autocast_region <> {
  // CHECK-NEXT: graph.neg
  // CHECK-NEXT: }
  graph.autocast_region <> {
    %0 = graph.neg %x : tensor<4xf32>
    graph.yield
  }
  // CHECK-NEXT: graph.autocast_region <> {
  // CHECK-NEXT: graph.yield {other.note}
  // CHECK-NEXT: }
  graph.autocast_region <> {
    graph.yield {other.note}
  }
  // CHECK-NEXT: graph.autocast_region <> {
  // CHECK-NEXT: }
  graph.autocast_region <> {}
  // CHECK-NEXT: graph.autocast_region <enabled = false> -> tensor<4xf32> {
  // CHECK-NEXT: graph.yield %{{.*}} : tensor<4xf32>
  // CHECK-NEXT: }
  %1 = graph.autocast_region <enabled = false> -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// Parentheses around the types of results are read, and not printed.
// CHECK-LABEL: func.func @parentheses
func.func @parentheses(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.autocast_region <name = "a", dtype = bf16, lists = "cpu", recompute = true> -> tensor<4xf32>, tensor<4xf32> {
  %0, %1 = graph.autocast_region <recompute = true, lists = "cpu", dtype = bf16, name = "a"> -> (tensor<4xf32>, tensor<4xf32>) {
    graph.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: graph.autocast_region <> -> tensor<4xf32> {
  %2 = graph.autocast_region <enabled = true> -> (tensor<4xf32>) {
    graph.yield %1 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
