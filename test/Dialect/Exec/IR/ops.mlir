// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --mlir-print-op-generic | mpc-opt | FileCheck %s
// Every op of the dialect round-trips, in its own format and in the generic one.

// CHECK: exec.state_decl "w" parameter offset = 0 : memref<8x4xf32> init #graph.normal<0.0{{.*}}, 1.0{{.*}}>
exec.state_decl "w" parameter offset = 0 : memref<8x4xf32> init #graph.normal<0.0, 1.0>
// CHECK: exec.state_decl "w.f16" weight_copy of "w" : memref<8x4xf16>
exec.state_decl "w.f16" weight_copy of "w" : memref<8x4xf16>

// CHECK: exec.kernel @k_neg extent = 4 grain = 2 reads = 16 writes = 16 in_place = [0, 0] strict {
exec.kernel @k_neg extent = 4 grain = 2 reads = 16 writes = 16 in_place = [0, 0] strict {
^bb0(%x: tensor<4x8xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %b = graph.neg %a : tensor<4x8xf32>
    graph.yield %b : tensor<4x8xf32>
  }
}

exec.kernel @k_relu extent = 1 grain = 1 reads = 64 writes = 64 in_place = [0, 0] {
^bb0(%x: tensor<4x4xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %b = graph.relu %a : tensor<4x4xf32>
    graph.yield %b : tensor<4x4xf32>
  }
}

// CHECK: exec.entry @step arena = 256 {
exec.entry @step arena = 256 {
  // CHECK: exec.input "x" : memref<4x8xf32>
  %x = exec.input "x" : memref<4x8xf32>
  // CHECK: exec.state "w" : memref<8x4xf32>
  %w = exec.state "w" : memref<8x4xf32>
  // CHECK: exec.constant offset = 0 : memref<2xf32> = dense<[1.{{.*}}, 2.{{.*}}]> : tensor<2xf32>
  %c = exec.constant offset = 0 : memref<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: exec.alloc as activation offset = 0 : memref<4x8xf32>
  %h = exec.alloc as activation offset = 0 : memref<4x8xf32>
  %y = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<4xf32>
  // CHECK: exec.launch @k_neg ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x8xf32>)
  exec.launch @k_neg ins(%x : memref<4x8xf32>) outs(%h : memref<4x8xf32>)
  // CHECK: exec.fill %{{.*}} : memref<4xf32>
  exec.fill %b : memref<4xf32>
  // CHECK: exec.call #exec.matmul<epilogue = relu> ins(lhs %{{.*}} : memref<4x8xf32>, rhs %{{.*}} : memref<8x4xf32>, bias %{{.*}} : memref<4xf32>) outs(result %{{.*}} : memref<4x4xf32>){{$}}
  exec.call #exec.matmul<epilogue = relu> ins(lhs %h : memref<4x8xf32>, rhs %w : memref<8x4xf32>, bias %b : memref<4xf32>) outs(result %y : memref<4x4xf32>)
  // CHECK: exec.call #exec.matmul ins({{.*}}, addend %{{.*}} : memref<4x4xf32>) outs(result %{{.*}} : memref<4x4xf32>){{$}}
  exec.call #exec.matmul ins(lhs %h : memref<4x8xf32>, rhs %w : memref<8x4xf32>, addend %y : memref<4x4xf32>) outs(result %y : memref<4x4xf32>)
  // CHECK: exec.view {{.*}} to memref<4x8xf32, strided<[1, 4]>>
  // CHECK: exec.call #exec.matmul ins(lhs {{.*}} : memref<4x8xf32, strided<[1, 4]>>, rhs {{.*}} : memref<8x4xf32, strided<[1, 8]>>)
  %t1 = exec.view %w : memref<8x4xf32> to memref<4x8xf32, strided<[1, 4]>>
  %t2 = exec.view %h : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  exec.call #exec.matmul ins(lhs %t1 : memref<4x8xf32, strided<[1, 4]>>, rhs %t2 : memref<8x4xf32, strided<[1, 8]>>) outs(result %y : memref<4x4xf32>)
  // CHECK: exec.call #exec.matmul<epilogue = gelu_tanh> ins({{.*}}) outs(result %{{.*}} : memref<4x4xf32>, aux %{{.*}} : memref<4x4xf32>){{$}}
  %u = exec.alloc : memref<4x4xf32>
  exec.call #exec.matmul<epilogue = gelu_tanh> ins(lhs %h : memref<4x8xf32>, rhs %w : memref<8x4xf32>) outs(result %y : memref<4x4xf32>, aux %u : memref<4x4xf32>)
  // CHECK: exec.call #exec.matmul<epilogue = relu> {{.*}} tail = @k_relu [2, 2]{{$}}
  exec.call #exec.matmul<epilogue = relu> ins(lhs %h : memref<4x8xf32>, rhs %w : memref<8x4xf32>) outs(result %y : memref<4x4xf32>) tail = @k_relu [2, 2]
  // CHECK: exec.call #exec.matmul<epilogue = gelu_tanh, derivative = true> ins({{.*}}, aux {{.*}}) outs(result {{.*}}){{$}}
  exec.call #exec.matmul<epilogue = gelu_tanh, derivative = true> ins(lhs %h : memref<4x8xf32>, rhs %w : memref<8x4xf32>, aux %u : memref<4x4xf32>) outs(result %y : memref<4x4xf32>)
  // CHECK: exec.multi_tensor sgd ins({{.*}}) outs({{.*}}) has_copies {momentum = {{.*}}, nesterov}
  %lr = exec.input "lr" : memref<f32>
  %half = exec.alloc : memref<4xbf16>
  exec.multi_tensor sgd ins(%lr, %b, %b, %b : memref<f32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%b, %b, %half : memref<4xf32>, memref<4xf32>, memref<4xbf16>) has_copies {momentum = 0.9 : f64, nesterov}
  // CHECK: exec.renew %{{.*}} : memref<4x4xf32> to memref<16xf32>
  %r = exec.renew %y : memref<4x4xf32> to memref<16xf32>
  // CHECK: exec.view %{{.*}} : memref<4x4xf32> to memref<16xf32>
  %v = exec.view %y : memref<4x4xf32> to memref<16xf32>
  // CHECK: exec.all_reduce <average> ins(%{{.*}} : memref<16xf32>) outs(%{{.*}} : memref<16xf32>) group = "data"
  exec.all_reduce <average> ins(%v : memref<16xf32>) outs(%v : memref<16xf32>) group = "data"
  // CHECK: %[[T:.*]] = exec.all_reduce_start <sum> ins(%{{.*}} : memref<16xf32>) outs(%{{.*}} : memref<16xf32>) group = "data"
  %t = exec.all_reduce_start <sum> ins(%v : memref<16xf32>) outs(%v : memref<16xf32>) group = "data"
  // CHECK: exec.all_reduce_done %[[T]]
  exec.all_reduce_done %t
  // CHECK: exec.copy %{{.*}} to %{{.*}} : memref<4x8xf32>
  exec.copy %x to %h : memref<4x8xf32>
  // CHECK: exec.update "w" = %{{.*}} : memref<8x4xf32>
  exec.update "w" = %w : memref<8x4xf32>
  // CHECK: exec.output "y" %{{.*}} : memref<4x4xf32>
  exec.output "y" %y : memref<4x4xf32>
}

// An entry without steps has a body as others have.
// CHECK: exec.entry @nothing {
// CHECK-NEXT: }
exec.entry @nothing {}
