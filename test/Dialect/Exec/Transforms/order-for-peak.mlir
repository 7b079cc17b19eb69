// RUN: mpc-opt %s --mpc-plan-buffers --mpc-verify-exec --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-plan-buffers --remarks-filter-passed=mpc-plan-buffers --split-input-file 2>&1 | FileCheck %s --check-prefix=REMARK

// Both gradients are made, and then read; one after the other they take the
// memory of one. 16 KiB each, and two sums of 256 bytes.
// CHECK-LABEL: exec.entry @gradients arena = 16896
// CHECK: exec.launch @make {{.*}}outs(%[[A:.*]] :
// CHECK-NEXT: exec.launch @fold ins(%[[A]] :
// CHECK-NEXT: exec.launch @make {{.*}}outs(%[[B:.*]] :
// CHECK-NEXT: exec.launch @fold ins(%[[B]] :
// REMARK: ordered {{.*}}Function=gradients | bytes=16896, bytes_before=33024
exec.kernel @make extent = 64 grain = 1 reads = 16384 writes = 16384 {
^bb0(%x: tensor<64x64xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %b = graph.neg %a : tensor<64x64xf32>
    graph.yield %b : tensor<64x64xf32>
  }
}
exec.kernel @fold extent = 64 grain = 1 reads = 16384 writes = 256 {
^bb0(%x: tensor<64x64xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %b = graph.sum %a dims = [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    graph.yield %b : tensor<64xf32>
  }
}
exec.entry @gradients {
  %x = exec.input "x" : memref<64x64xf32>
  %a = exec.alloc : memref<64x64xf32>
  %b = exec.alloc : memref<64x64xf32>
  %s = exec.alloc as output : memref<64xf32>
  %t = exec.alloc as output : memref<64xf32>
  exec.launch @make ins(%x : memref<64x64xf32>) outs(%a : memref<64x64xf32>)
  exec.launch @make ins(%x : memref<64x64xf32>) outs(%b : memref<64x64xf32>)
  exec.launch @fold ins(%a : memref<64x64xf32>) outs(%s : memref<64xf32>)
  exec.launch @fold ins(%b : memref<64x64xf32>) outs(%t : memref<64xf32>)
  exec.output "s" %s : memref<64xf32>
  exec.output "t" %t : memref<64xf32>
}

// -----
// Nothing frees more than it makes: the order stays.
// CHECK-LABEL: exec.entry @stays
// CHECK: exec.launch @neg ins(%{{.*}} : memref<64xf32>) outs(%[[A:.*]] :
// CHECK-NEXT: exec.launch @neg ins(%{{.*}} : memref<64xf32>) outs(%[[B:.*]] :
// CHECK-NEXT: exec.launch @neg ins(%[[A]] :
// CHECK-NEXT: exec.launch @neg ins(%[[B]] :
exec.kernel @neg extent = 64 grain = 1 reads = 256 writes = 256 {
^bb0(%x: tensor<64xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>):
    %b = graph.neg %a : tensor<64xf32>
    graph.yield %b : tensor<64xf32>
  }
}
exec.entry @stays {
  %x = exec.input "x" : memref<64xf32>
  %a = exec.alloc : memref<64xf32>
  %b = exec.alloc : memref<64xf32>
  %s = exec.alloc as output : memref<64xf32>
  %t = exec.alloc as output : memref<64xf32>
  exec.launch @neg ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  exec.launch @neg ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  exec.launch @neg ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  exec.launch @neg ins(%b : memref<64xf32>) outs(%t : memref<64xf32>)
  exec.output "s" %s : memref<64xf32>
  exec.output "t" %t : memref<64xf32>
}
