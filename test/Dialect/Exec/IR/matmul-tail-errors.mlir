// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// matmul-c6
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a kernel named @k_tail in the module}}
  exec.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) epilogue = relu tail = @k_tail [2, 2]
}

// -----
// matmul-c6
exec.kernel @k_tail extent = 16 grain = 1 reads = 64 writes = 64 in_place = [0, 0] {
^bb0(%x: tensor<4x4xf32>):
  %r = graph.group #graph.group_kind<row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %b = graph.relu %a : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
}
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected 2 buffers for the tail, but got 1}}
  exec.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) epilogue = relu tail = @k_tail [2]
}

// -----
// matmul-c6
exec.kernel @k_tail extent = 16 grain = 1 reads = 64 writes = 64 in_place = [0, 0] {
^bb0(%x: tensor<4x4xf32>):
  %r = graph.group #graph.group_kind<row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %b = graph.relu %a : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
}
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a buffer of the product as buffer 0 of the tail, but got 3}}
  exec.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) epilogue = relu tail = @k_tail [3, 2]
}

// -----
// What the product only reads is nothing for the tail to write.
// matmul-c6
exec.kernel @k_tail extent = 16 grain = 1 reads = 64 writes = 64 in_place = [0, 0] {
^bb0(%x: tensor<4x4xf32>):
  %r = graph.group #graph.group_kind<row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %b = graph.relu %a : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
}
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected an output of the product as buffer 1 of the tail, but got 1}}
  exec.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) epilogue = relu tail = @k_tail [2, 1]
}

// -----
// matmul-c6
exec.kernel @k_tail extent = 16 grain = 1 reads = 64 writes = 64 in_place = [0, 0] {
^bb0(%x: tensor<2x8xf32>):
  %r = graph.group #graph.group_kind<row> %x : (tensor<2x8xf32>) -> tensor<2x8xf32> {
  ^bb0(%a: tensor<2x8xf32>):
    %b = graph.relu %a : tensor<2x8xf32>
    graph.yield %b : tensor<2x8xf32>
  }
}
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a buffer like 'tensor<2x8xf32>' as buffer 0 of the tail, but got 'memref<4x4xf32>'}}
  exec.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) epilogue = relu tail = @k_tail [2, 2]
}

// -----
// A kernel that is not done with an element before it overwrites it.
// matmul-c6
exec.kernel @k_tail extent = 16 grain = 1 reads = 64 writes = 64 {
^bb0(%x: tensor<4x4xf32>):
  %r = graph.group #graph.group_kind<row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %b = graph.relu %a : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
}
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected operand 0 and result 0 of the tail to be a pair that can be in place}}
  exec.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) epilogue = relu tail = @k_tail [2, 2]
}
