// RUN: mpc-opt %s --mpc-plan-buffers --mpc-print-memory=peak=true -o /dev/null 2>&1 | FileCheck %s
// What is live at the peak: the two buffers of the launch, of 1024 bytes each,
// and the one of 512 that is read after it; not what died before. A buffer that
// holds several values one after the other is called by that of the peak.
// CHECK: arena of step: 2,560, largest live set: 2,560
// CHECK-NEXT: live at the peak of step: 3 buffers, 2,560 bytes; planned: 2,560
// CHECK-NEXT:   while this runs: tanh at print-peak.mlir:[[# @LINE + 25]]
// CHECK-NEXT: {{^}}           1,024  workspace  256xf32              fill at print-peak.mlir:[[# @LINE + 23]]{{$}}
// CHECK-NEXT: {{^}}           1,024  workspace  512xf16 tanh at print-peak.mlir:[[# @LINE + 23]]{{$}}
// CHECK-NEXT: {{^}}             512  activation 128xf32 gradient of graph.exp at model.mlir:7{{$}}
// CHECK-NOT: bytes
exec.kernel @tanh extent = 1 grain = 1 reads = 1024 writes = 1024 {
^bb0(%x: tensor<256xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<256xf32>) -> tensor<512xf16> {
  ^bb0(%a: tensor<256xf32>):
    %b = graph.concat %a, %a dim = 0 : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
    %c = graph.tanh %b : tensor<512xf32>
    %d = graph.cast %c : (tensor<512xf32>) -> tensor<512xf16>
    graph.yield %d : tensor<512xf16>
  }
}
exec.entry @step {
  %x = exec.input "x" : memref<128xf32>
  %early = exec.alloc : memref<64xf32>
  %kept = exec.alloc as activation : memref<128xf32>
  %a = exec.alloc : memref<256xf32>
  %b = exec.alloc : memref<512xf16>
  %y = exec.alloc as output : memref<128xf32>
  exec.fill %early : memref<64xf32>
  exec.copy %x to %kept : memref<128xf32> loc("gradient of graph.exp"("model.mlir":7:3))
  exec.fill %a : memref<256xf32>
  exec.launch @tanh ins(%a : memref<256xf32>) outs(%b : memref<512xf16>)
  exec.copy %kept to %y : memref<128xf32>
  exec.output "y" %y : memref<128xf32>
}
