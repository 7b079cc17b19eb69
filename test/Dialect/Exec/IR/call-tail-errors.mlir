// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// call-c2
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %y = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a kernel named @k_tail in the module}}
  exec.call #exec.matmul<epilogue = relu> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_tail [2, 2]
}

// -----
// call-c2
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
  exec.call #exec.matmul<epilogue = relu> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_tail [2]
}

// -----
// call-c2
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
  // expected-error @+1 {{expected a buffer of the call as buffer 0 of the tail, but got 3}}
  exec.call #exec.matmul<epilogue = relu> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_tail [3, 2]
}

// -----
// What the product only reads is nothing for the tail to write.
// call-c2
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
  // expected-error @+1 {{expected an output of the call as buffer 1 of the tail, but got 1}}
  exec.call #exec.matmul<epilogue = relu> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_tail [2, 1]
}

// -----
// call-c2
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
  exec.call #exec.matmul<epilogue = relu> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_tail [2, 2]
}

// -----
// A kernel that is not done with an element before it overwrites it.
// call-c2
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
  exec.call #exec.matmul<epilogue = relu> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_tail [2, 2]
}

// -----
// As many elements as its source has, but they begin elsewhere: the kernel would
// read from there on.
// call-c2
exec.kernel @k_tail extent = 64 grain = 1 reads = 1088 writes = 256 in_place = [0, 0] {
^bb0(%x: tensor<4x1x16xf32>, %z: tensor<4x16xf32>):
  %r = graph.group #graph.group_kind<row> %x, %z : (tensor<4x1x16xf32>, tensor<4x16xf32>) -> tensor<4x1x16xf32> {
  ^bb0(%a: tensor<4x1x16xf32>, %c: tensor<4x16xf32>):
    %d = graph.reshape %c : (tensor<4x16xf32>) -> tensor<4x1x16xf32>
    %b = graph.add %a, %d : (tensor<4x1x16xf32>, tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    graph.yield %b : tensor<4x1x16xf32>
  }
}
exec.entry @e {
  %z = exec.alloc : memref<4x16xf32>
  %w = exec.alloc : memref<4x16x16xf32>
  %y = exec.alloc : memref<4x1x16xf32>
  %row = exec.view %z : memref<4x16xf32> to memref<4x1x16xf32, strided<[0, 16, 1], offset: 16>>
  // expected-error @+1 {{expected a whole buffer as buffer 1 of the tail, but got 'memref<4x1x16xf32, strided<[0, 16, 1], offset: 16>>', a part of one}}
  exec.call #exec.matmul ins(lhs %row : memref<4x1x16xf32, strided<[0, 16, 1], offset: 16>>, rhs %w : memref<4x16x16xf32>) outs(result %y : memref<4x1x16xf32>) tail = @k_tail [2, 0, 2]
}
