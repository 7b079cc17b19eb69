// RUN: mpc-opt %s --mpc-plan-buffers --mpc-print-memory -o /dev/null 2>&1 | FileCheck %s
// Every byte is counted once; the rows of the arena are those of its fullest
// moment.
// CHECK: memory in bytes
// CHECK-NEXT: parameters 256
// CHECK-NEXT: master weights 4,096
// CHECK-NEXT: weight copies 2,048
// CHECK-NEXT: moments 4,096
// CHECK-NEXT: accumulators 4,096
// CHECK-NEXT: scalars 512
// CHECK-NEXT: constants 256
// CHECK-NEXT: activations 4,096
// CHECK-NEXT: gradients 1,024
// CHECK-NEXT: outputs 256
// CHECK-NEXT: total 20,736
// CHECK-NEXT: arena of step: 5,376, largest live set: 5,376
exec.state_decl "b" parameter : memref<4xf32> init #graph.zeros
exec.state_decl "w" parameter : memref<1024xf32> init #graph.zeros
exec.state_decl "w.f16" weight_copy of "w" : memref<1024xf16>
exec.state_decl "w.exp_avg" moment of "w" : memref<1024xf32> init #graph.zeros
exec.state_decl "w.grad" accumulator of "w" : memref<1024xf32> init #graph.zeros
exec.state_decl "step" counter : memref<i32> init #graph.zeros
exec.state_decl "lr" hyperparameter : memref<f32> init #graph.fill<0.1>
exec.entry @forward {
  %a = exec.alloc as output : memref<f32>
  exec.fill %a : memref<f32>
  exec.output "a" %a : memref<f32>
}
exec.entry @step {
  %c = exec.constant : memref<2xf32> = dense<[3.0, 4.0]> : tensor<2xf32>
  %a = exec.alloc as output : memref<f32>
  %b = exec.alloc as activation : memref<1024xf32>
  %d = exec.alloc as gradient : memref<256xf32>
  exec.fill %b : memref<1024xf32>
  exec.fill %a : memref<f32>
  exec.fill %d : memref<256xf32>
  exec.all_reduce <sum> ins(%b, %d : memref<1024xf32>, memref<256xf32>) outs(%b, %d : memref<1024xf32>, memref<256xf32>) group = "data"
  exec.output "a" %a : memref<f32>
}
