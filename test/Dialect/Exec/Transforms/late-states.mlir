// What reads the old value needs the new one: no order works, so the next value
// is copied to the state when all have read it.
// RUN: mpc-opt %s --mpc-plan-buffers --remarks-filter=mpc-plan-buffers 2>&1 | FileCheck %s
// CHECK: update-by-copy{{.*}}the state is read after the step that makes its next value", state=w
// CHECK-LABEL: exec.entry @step
// CHECK: %[[NEXT:.*]] = exec.renew %[[W:[a-z0-9_]+]]
// CHECK: exec.launch @add ins(%[[W]], %{{.*}}) outs(%[[N:[a-z0-9_]+]]
// CHECK: exec.launch @add ins(%[[N]], %[[W]]
// CHECK: exec.copy %[[N]] to %[[NEXT]]
exec.state_decl "w" parameter : memref<4xf32> init #graph.zeros
exec.kernel @add extent = 1 grain = 1 reads = 32 writes = 16 in_place = [0, 0] {
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %c = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}
exec.entry @step {
  %x = exec.input "x" : memref<4xf32>
  %w = exec.state "w" : memref<4xf32>
  %n = exec.alloc : memref<4xf32>
  exec.launch @add ins(%w, %x : memref<4xf32>, memref<4xf32>) outs(%n : memref<4xf32>)
  %d = exec.alloc : memref<4xf32>
  exec.launch @add ins(%n, %w : memref<4xf32>, memref<4xf32>) outs(%d : memref<4xf32>)
  exec.update "w" = %n : memref<4xf32>
  exec.output "difference" %d : memref<4xf32>
}
