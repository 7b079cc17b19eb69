// RUN: mpc-opt %s --split-input-file --mpc-inline-regions | FileCheck %s

// What a recomputed region makes is marked, that of regions and calls in it too,
// but not what it yields, nor constants.
// CHECK-LABEL: func.func @recomputed
// CHECK-NEXT: graph.constant dense<1.0{{.*}}> : tensor<f32>
// CHECK-NEXT: graph.add {{.*}} {graph.autocast_region = #graph.autocast_region<name = "a">, graph.recompute}
// CHECK-NEXT: graph.exp {{.*}} {graph.autocast_region = #graph.autocast_region<name = "a/b", dtype = bf16>, graph.recompute}
// CHECK-NEXT: graph.neg {{.*}} {graph.autocast_region = #graph.autocast_region<name = "a">, graph.recompute}
// CHECK-NEXT: graph.abs {{.*}} {graph.autocast_region = #graph.autocast_region<name = "a">} : tensor<4xf32>
func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @recomputed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.autocast_region <name = "a", recompute = true> -> tensor<4xf32> {
    %one = graph.constant dense<1.0> : tensor<f32>
    %1 = graph.add %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = graph.autocast_region <name = "b", dtype = bf16> -> tensor<4xf32> {
      %3 = graph.exp %1 : tensor<4xf32>
      graph.yield %3 : tensor<4xf32>
    }
    %4 = graph.custom @negate(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %5 = graph.abs %4 : tensor<4xf32>
    graph.yield %5 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Of a call whose result the region yields, what the implementation returns is
// kept, and nothing else; so it is in calls of calls.
// CHECK-LABEL: func.func @layer
// CHECK-NEXT: graph.exp {{.*}}graph.recompute}
// CHECK-NEXT: graph.neg {{.*}}graph.recompute}
// CHECK-NEXT: graph.abs {{.*}}{graph.autocast_region = #graph.autocast_region<name = "a">} : tensor<4xf32>
// CHECK-NOT: graph.recompute_inside
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.abs %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.custom @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.autocast_region <name = "a", recompute = true> -> tensor<4xf32> {
    %1 = graph.custom @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Nested regions: what the inner one leaves out is the outer one's; names make
// a path. Constants belong to no region, so equal ones become one.
// CHECK-LABEL: func.func @nested
// CHECK-NEXT: graph.relu %{{.*}} : tensor<4xf32>
// CHECK-NEXT: graph.constant dense<1.0{{.*}}> : tensor<f32>
// CHECK-NEXT: %[[A:.*]] = graph.add {{.*}} {graph.autocast_region = #graph.autocast_region<name = "outer", dtype = bf16>}
// CHECK-NEXT: %[[B:.*]] = graph.exp %[[A]] {graph.autocast_region = #graph.autocast_region<name = "outer/inner", enabled = false, dtype = bf16>}
// CHECK-NEXT: %[[C:.*]] = graph.exp %[[B]] {graph.autocast_region = #graph.autocast_region<name = "outer/inner/again", dtype = f16, lists = "cpu">}
// CHECK-NEXT: %[[D:.*]] = graph.neg %[[C]] {graph.autocast_region = #graph.autocast_region<name = "outer", dtype = bf16>}
// CHECK-NEXT: %[[E:.*]] = graph.abs %[[D]] : tensor<4xf32>
// CHECK-NEXT: return %[[E]], %[[A]]
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : tensor<4xf32>
  %1:2 = graph.autocast_region <name = "outer", dtype = bf16> -> tensor<4xf32>, tensor<4xf32> {
    %one = graph.constant dense<1.0> : tensor<f32>
    %2 = graph.add %0, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = graph.autocast_region <name = "inner", enabled = false> -> tensor<4xf32> {
      %4 = graph.exp %2 : tensor<4xf32>
      %5 = graph.autocast_region <name = "again", dtype = f16, lists = "cpu"> -> tensor<4xf32> {
        %6 = graph.exp %4 : tensor<4xf32>
        graph.yield %6 : tensor<4xf32>
      }
      graph.yield %5 : tensor<4xf32>
    }
    %7 = graph.neg %3 : tensor<4xf32>
    graph.yield %7, %2 : tensor<4xf32>, tensor<4xf32>
  }
  %8 = graph.abs %1#0 : tensor<4xf32>
  return %8, %1#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The attribute may be written by hand, and is nested as a region is.
// CHECK-LABEL: func.func @by_hand
// CHECK: graph.exp %{{.*}} {graph.autocast_region = #graph.autocast_region<name = "head", enabled = false>}
// CHECK: graph.exp %{{.*}} {graph.autocast_region = #graph.autocast_region<name = "tail/head", enabled = false, dtype = f16>}
func.func @by_hand(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {graph.autocast_region = #graph.autocast_region<name = "head", enabled = false>} : tensor<4xf32>
  %1 = graph.autocast_region <name = "tail", dtype = f16> -> tensor<4xf32> {
    %2 = graph.exp %0 {graph.autocast_region = #graph.autocast_region<name = "head", enabled = false>} : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// A region that yields what it did not make, and one that yields nothing.
// CHECK-LABEL: func.func @passes_on
// CHECK-NEXT: return %arg0
func.func @passes_on(%x: tensor<4xf32>) -> tensor<4xf32> {
  graph.autocast_region <> {
  }
  %0 = graph.autocast_region <> -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A call without a word stands for its ops, in the caller's region; a call with
// one stays. An implementation that nobody calls any more is gone.
// CHECK-NOT: @twice
// CHECK: func.func private @once
// CHECK-LABEL: func.func @calls
// CHECK-NEXT: graph.exp %{{.*}} : tensor<4xf32>
// CHECK-NEXT: graph.custom @once
// CHECK-NEXT: graph.exp %{{.*}} {graph.autocast_region = #graph.autocast_region<name = "head", enabled = false>}
// CHECK-NEXT: graph.custom @once(%{{.*}}) policy = "Deny" {graph.autocast_region = #graph.autocast_region<name = "head", enabled = false>}
// CHECK-NEXT: return
func.func private @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.custom @once(%0) policy = "Deny" : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.custom @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.autocast_region <name = "head", enabled = false> -> tensor<4xf32> {
    %2 = graph.custom @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
