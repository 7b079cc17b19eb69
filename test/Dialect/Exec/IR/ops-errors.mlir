// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// state_decl-c1
// expected-error @+1 {{expected parameter "w" to start at #graph.zeros, #graph.fill, #graph.normal or #graph.uniform, but got 1 : i64}}
exec.state_decl "w" parameter : memref<8xf32> init 1 : i64

// -----
// state_decl-c1
// expected-error @+1 {{expected `of` and a parameter for moment "m"}}
exec.state_decl "m" moment : memref<8xf32> init #graph.zeros

// -----
// A mark cannot say this: a parameter has one of its own.
// state_decl-c1
// expected-error @+1 {{expected parameter "w" to belong to nothing, but it is of "v"}}
exec.state_decl "w" parameter of "v" : memref<8xf32> init #graph.zeros

// -----
// state_decl-c2
// expected-error @+1 {{expected step_counter "step" to be one number of i32, but got 'memref<8xi32>'}}
exec.state_decl "step" step_counter : memref<8xi32> init #graph.zeros

// -----
// state_decl-c2
// expected-error @+1 {{expected parameter "w" to be of floats, but got 'memref<8xi32>'}}
exec.state_decl "w" parameter : memref<8xi32> init #graph.zeros

// -----
// kernel-c1
// expected-error @+1 {{expected one graph.group that is not of kind library}}
exec.kernel @k extent = 1 grain = 1 reads = 16 writes = 16 {
^bb0(%x: tensor<4xf32>):
}

// -----
// kernel-c1
// expected-error @+1 {{expected the group to take all block arguments in order}}
exec.kernel @k extent = 1 grain = 1 reads = 16 writes = 16 {
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %c = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}

// -----
// kernel-c2
// expected-error @+1 {{expected extent and grain of at least 1, but got 0 and 1}}
exec.kernel @k extent = 0 grain = 1 reads = 16 writes = 16 {
^bb0(%x: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = graph.neg %a : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}

// -----
// kernel-c3
// expected-error @+1 {{expected pairs in in_place, but got 1 numbers}}
exec.kernel @k extent = 4 grain = 1 reads = 16 writes = 16 in_place = [0] {
^bb0(%x: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = graph.neg %a : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}

// -----
// kernel-c3
// expected-error @+1 {{expected an operand below 1 and a result below 1 in in_place, but got 1 and 0}}
exec.kernel @k extent = 4 grain = 1 reads = 16 writes = 16 in_place = [1, 0] {
^bb0(%x: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = graph.neg %a : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}

// -----
// kernel-c3
// expected-error @+1 {{expected operand and result of equal bytes in in_place, but got 'tensor<4xf32>' and 'tensor<4xf16>'}}
exec.kernel @k extent = 4 grain = 1 reads = 16 writes = 16 in_place = [0, 0] {
^bb0(%x: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf32>):
    %c = graph.cast %a : (tensor<4xf32>) -> tensor<4xf16>
    graph.yield %c : tensor<4xf16>
  }
}

// -----
// constant-c1
exec.entry @e {
  // expected-error @+1 {{expected a buffer like the value 'tensor<2xf32>', but got 'memref<3xf32>'}}
  %c = exec.constant : memref<3xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
}

// -----
// renew-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected equally many bytes, but got 'memref<4xf32>' and 'memref<4xf16>'}}
  %b = exec.renew %a : memref<4xf32> to memref<4xf16>
}

// -----
// view-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected equal element types and numbers of elements, but got 'memref<4xf32>' and 'memref<5xf32>'}}
  %b = exec.view %a : memref<4xf32> to memref<5xf32>
}

// -----
// launch-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected a kernel named @k in the module}}
  exec.launch @k outs(%a : memref<4xf32>)
}

// -----
// launch-c2
exec.kernel @k extent = 4 grain = 1 reads = 16 writes = 16 {
^bb0(%x: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = graph.neg %a : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}
exec.entry @e {
  %a = exec.alloc : memref<5xf32>
  // expected-error @+1 {{expected buffers like the kernel's 'tensor<4xf32>' and 'tensor<4xf32>', but got 'memref<5xf32>' and 'memref<5xf32>'}}
  exec.launch @k ins(%a : memref<5xf32>) outs(%a : memref<5xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected an operand rhs}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<3xf32>
  // expected-error @+1 {{expected bias to be 4xf32, but got 3xf32}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>, bias %b : memref<3xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<4x4xf16>
  // expected-error @+1 {{expected addend to be 4x4xf32, but got 4x4xf16}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>, addend %b : memref<4x4xf16>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected addend to be 4x4xf32, but got 4xf32}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>, addend %b : memref<4xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected operands of at least two dims, none of them 0, but got 4xf32}}
  exec.call #exec.matmul ins(lhs %a : memref<4xf32>, rhs %a : memref<4xf32>) outs(result %a : memref<4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x5xf32>
  %b = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected shapes of a matrix product, but got 4x5xf32 x 4x5xf32 -> 4x4xf32}}
  exec.call #exec.matmul ins(lhs %a : memref<4x5xf32>, rhs %a : memref<4x5xf32>) outs(result %b : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a role of an operand, such as 'lhs' or 'result', but got 'left'}}
  exec.call #exec.matmul ins(left %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{operand lhs: is there twice}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, lhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a known role for each operand}}
  "exec.call"(%a, %a, %a) <{kind = #exec.matmul, operandSegmentSizes = array<i32: 2, 1>, roles = array<i32: 0, 1>}> : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----
// Not role 0, as its last byte alone.
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a known role for each operand}}
  "exec.call"(%a, %a, %a) <{kind = #exec.matmul, operandSegmentSizes = array<i32: 2, 1>, roles = array<i32: 256, 1, 2>}> : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----
// Not role 0, as its last byte alone.
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected a known role for each operand}}
  "exec.call"(%a, %a, %a) <{kind = #exec.matmul, operandSegmentSizes = array<i32: 2, 1>, roles = array<i32: -256, 1, 2>}> : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{Invalid attribute `kind` in property conversion: "matmul"}}
  "exec.call"(%a, %a, %a) <{kind = "matmul", operandSegmentSizes = array<i32: 2, 1>, roles = array<i32: 0, 1, 2>}> : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
}

// -----
// view-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected equal element types and numbers of elements, but got 'memref<4x4xf32>' and 'memref<2x4xf16, strided<[1, 4]>>'}}
  %v = exec.view %a : memref<4x4xf32> to memref<2x4xf16, strided<[1, 4]>>
}

// -----
// view-c2
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // The last element is number 1 + 1 + 3 * 4.
  %v = exec.view %a : memref<4x4xf32> to memref<2x4xf32, strided<[1, 4], offset: 2>>
  // expected-error @+1 {{expected a part of 'memref<4x4xf32>', but got 'memref<2x4xf32, strided<[1, 4], offset: 3>>'}}
  %w = exec.view %a : memref<4x4xf32> to memref<2x4xf32, strided<[1, 4], offset: 3>>
}

// -----
// An offset of 2^64 bytes is none of 0.
// view-c2
exec.entry @e {
  %a = exec.alloc : memref<8xf64>
  // expected-error @+1 {{expected a part of 'memref<8xf64>', but got 'memref<2x4xf64, strided<[4, 1], offset: 2305843009213693952>>'}}
  %v = exec.view %a : memref<8xf64> to memref<2x4xf64, strided<[4, 1], offset: 2305843009213693952>>
}

// -----
// Neither is a reach of 2^64 bytes.
// view-c2
exec.entry @e {
  %a = exec.alloc : memref<8xf64>
  // expected-error @+1 {{expected a part of 'memref<8xf64>', but got 'memref<3x4xf64, strided<[1152921504606846976, 1]>>'}}
  %v = exec.view %a : memref<8xf64> to memref<3x4xf64, strided<[1152921504606846976, 1]>>
}

// -----
// view-c2
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{statically shaped and strided buffer}}
  %v = exec.view %a : memref<4x4xf32> to memref<2x4xf32, strided<[?, 4]>>
}

// -----
// Only library calls read strided buffers.
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<4x4xf32>
  %v = exec.view %a : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  // expected-error @+1 {{operand #0 must be statically shaped buffer}}
  "exec.copy"(%v, %b) : (memref<4x4xf32, strided<[1, 4]>>, memref<4x4xf32>) -> ()
}

// -----
// all_reduce-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %b = exec.alloc : memref<5xf32>
  // expected-error @+1 {{expected outputs of the types of the inputs, but got 'memref<4xf32>' and 'memref<5xf32>'}}
  exec.all_reduce <sum> ins(%a : memref<4xf32>) outs(%b : memref<5xf32>) group = "data"
}

// -----
// all_reduce-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %b = exec.alloc : memref<4xf16>
  // expected-error @+1 {{expected one element type, but got 'memref<4xf32>', 'memref<4xf16>'}}
  exec.all_reduce <sum> ins(%a, %b : memref<4xf32>, memref<4xf16>) outs(%a, %b : memref<4xf32>, memref<4xf16>) group = "data"
}

// -----
// all_reduce_start-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %b = exec.alloc : memref<5xf32>
  // expected-error @+1 {{expected outputs of the types of the inputs, but got 'memref<4xf32>' and 'memref<5xf32>'}}
  %t = exec.all_reduce_start <sum> ins(%a : memref<4xf32>) outs(%b : memref<5xf32>) group = "data"
  exec.all_reduce_done %t
}

// -----
// all_reduce_start-c2
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected one exec.all_reduce_done for the ticket, but got 2}}
  %t = exec.all_reduce_start <sum> ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) group = "data"
  exec.all_reduce_done %t
  exec.all_reduce_done %t
}

// -----
// all_reduce_done-c1
exec.entry @e {
  %t = builtin.unrealized_conversion_cast to !exec.ticket
  // expected-error @+1 {{expected the ticket of an exec.all_reduce_start}}
  exec.all_reduce_done %t
}

// -----
// observe-c1
exec.entry @probe {
  %a = exec.alloc : memref<4xi32>
  %r = exec.alloc : memref<291xf64>
  // expected-error @+1 {{expected a value of floats and a row of type memref<291xf64>, but got 'memref<4xi32>' and 'memref<291xf64>'}}
  exec.observe 0 %a to %r as "a" made_by "input" from [] : memref<4xi32>, memref<291xf64>
}

// -----
// observe-c1
exec.entry @probe {
  %a = exec.alloc : memref<4xf32>
  // expected-error @+1 {{expected a value of floats and a row of type memref<291xf64>, but got 'memref<4xf32>' and 'memref<4xf32>'}}
  exec.observe 0 %a to %a as "a" made_by "input" from [] : memref<4xf32>, memref<4xf32>
}

// -----
// state_decl-c3
// expected-error @+1 {{expected `init` for role moment: only a weight copy is computed by the entry `init`}}
exec.state_decl "w.exp_avg" moment of "w" : memref<4xf32>

// -----
// input-c1
exec.entry @e {
  // expected-error @+1 {{expected `classes` to be a #graph.classes, of i32 or i64 elements, but got #graph.classes<count = 3> of 'f32'}}
  %x = exec.input "x" : memref<4xf32> classes #graph.classes<count = 3>
}
