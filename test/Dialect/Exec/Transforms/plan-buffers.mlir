// RUN: mpc-opt %s --mpc-plan-buffers --mpc-verify-exec --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-plan-buffers --remark-format=emitRemark --remarks-filter=mpc-plan-buffers --split-input-file 2>&1 | FileCheck %s --check-prefix=REMARK

// A state is updated in its own memory, also through another shape.
// CHECK-LABEL: exec.entry @donate arena = 0
// CHECK: %[[W:.*]] = exec.state "w" : memref<4xf32>
// CHECK: %[[N:.*]] = exec.renew %[[W]] : memref<4xf32> to memref<2x2xf32>
// CHECK: %[[V:.*]] = exec.view %[[W]] : memref<4xf32> to memref<2x2xf32>
// CHECK: exec.launch @neg ins(%[[V]] : memref<2x2xf32>) outs(%[[N]] : memref<2x2xf32>)
// CHECK-NOT: exec.update
exec.state_decl "w" parameter : memref<4xf32> init #graph.zeros
exec.kernel @neg extent = 2 grain = 1 reads = 16 writes = 16 in_place = [0, 0] {
^bb0(%x: tensor<2x2xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    %b = graph.neg %a : tensor<2x2xf32>
    graph.yield %b : tensor<2x2xf32>
  }
}
exec.entry @donate {
  %w = exec.state "w" : memref<4xf32>
  %v = exec.view %w : memref<4xf32> to memref<2x2xf32>
  %n = exec.alloc : memref<2x2xf32>
  exec.launch @neg ins(%v : memref<2x2xf32>) outs(%n : memref<2x2xf32>)
  %m = exec.view %n : memref<2x2xf32> to memref<4xf32>
  exec.update "w" = %m : memref<4xf32>
}

// -----
// A reader of the old value moves before the update. The entry's own copy of
// the state's output is such a reader.
// CHECK-LABEL: exec.entry @reorder arena = 256
// CHECK: %[[W:.*]] = exec.state "w"
// CHECK: %[[N:.*]] = exec.renew %[[W]] :
// CHECK: exec.copy %[[W]] to %[[Y:.*]] :
// CHECK-NEXT: exec.copy %{{.*}} to %[[N]] :
// CHECK-NEXT: exec.output "old" %[[Y]]
exec.state_decl "w" parameter : memref<4xf32> init #graph.zeros
exec.entry @reorder {
  %x = exec.input "x" : memref<4xf32>
  %w = exec.state "w" : memref<4xf32>
  %n = exec.alloc : memref<4xf32>
  exec.copy %x to %n : memref<4xf32>
  exec.update "w" = %n : memref<4xf32>
  %y = exec.alloc as output : memref<4xf32>
  exec.copy %w to %y : memref<4xf32>
  exec.output "old" %y : memref<4xf32>
}

// -----
// A kernel that may not work in place on the state: a copy, and a remark.
// CHECK-LABEL: exec.entry @by_copy arena = 256
// CHECK: %[[N:.*]] = exec.renew %[[W:.*]] :
// CHECK: exec.launch @flip ins(%[[W]] : memref<2x2xf32>) outs(%[[T:.*]] : memref<2x2xf32>)
// CHECK: exec.copy %[[T]] to %[[N]]
// REMARK: remark: {{.*}}update-by-copy{{.*}}state=w
exec.state_decl "w" parameter : memref<2x2xf32> init #graph.zeros
exec.kernel @flip extent = 2 grain = 1 reads = 16 writes = 16 {
^bb0(%x: tensor<2x2xf32>):
  %y = graph.group #graph.group_kind<move> %x : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    %b = graph.transpose %a permutation = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    graph.yield %b : tensor<2x2xf32>
  }
}
exec.entry @by_copy {
  %w = exec.state "w" : memref<2x2xf32>
  %n = exec.alloc : memref<2x2xf32>
  exec.launch @flip ins(%w : memref<2x2xf32>) outs(%n : memref<2x2xf32>)
  exec.update "w" = %n : memref<2x2xf32>
}

// -----
// The old value of a number is read by what needs the next one: the next one
// is copied to the state after the reader.
// CHECK-LABEL: exec.entry @late_scalar
// CHECK: %[[NEXT:.*]] = exec.renew %[[C:.*]] :
// CHECK: exec.launch @sum ins(%[[C]], %{{.*}} : memref<f32>, memref<f32>) outs(%[[N:.*]] : memref<f32>)
// CHECK: exec.launch @sum ins(%[[N]], %[[C]] : memref<f32>, memref<f32>) outs(%{{.*}} : memref<f32>)
// CHECK: exec.copy %[[N]] to %[[NEXT]]
// REMARK: remark: {{.*}}update-by-copy{{.*}}state=c
exec.state_decl "c" hyperparameter : memref<f32> init #graph.zeros
exec.kernel @sum extent = 1 grain = 1 reads = 8 writes = 4 in_place = [0, 0] {
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %z = graph.group #graph.group_kind<row> %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = graph.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    graph.yield %d : tensor<f32>
  }
}
exec.entry @late_scalar {
  %x = exec.input "x" : memref<f32>
  %c = exec.state "c" : memref<f32>
  %n = exec.alloc : memref<f32>
  exec.launch @sum ins(%c, %x : memref<f32>, memref<f32>) outs(%n : memref<f32>)
  %d = exec.alloc : memref<f32>
  exec.launch @sum ins(%n, %c : memref<f32>, memref<f32>) outs(%d : memref<f32>)
  exec.update "c" = %n : memref<f32>
  exec.output "sum" %d : memref<f32>
}

// -----
// A chain reuses the buffer of the operand that dies; one that is read later,
// or is an output, stays.
// CHECK-LABEL: exec.entry @reuse arena = 512
// CHECK: %[[A:.*]] = exec.alloc as output offset = {{0|256}} : memref<4xf32>
// CHECK: %[[B:.*]] = exec.alloc as output offset = {{0|256}} : memref<4xf32>
// CHECK: %[[C:.*]] = exec.renew %[[B]] :
// CHECK: exec.launch @neg ins(%{{.*}}) outs(%[[A]] : memref<4xf32>)
// CHECK: exec.launch @neg ins(%[[A]] : memref<4xf32>) outs(%[[B]] : memref<4xf32>)
// CHECK: exec.launch @neg ins(%[[B]] : memref<4xf32>) outs(%[[C]] : memref<4xf32>)
exec.kernel @neg extent = 1 grain = 1 reads = 16 writes = 16 in_place = [0, 0] {
^bb0(%x: tensor<4xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.neg %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
}
exec.entry @reuse {
  %x = exec.input "x" : memref<4xf32>
  %a = exec.alloc as output : memref<4xf32>
  exec.launch @neg ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = exec.alloc : memref<4xf32>
  exec.launch @neg ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  %c = exec.alloc as output : memref<4xf32>
  exec.launch @neg ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  exec.output "a" %a : memref<4xf32>
  exec.output "c" %c : memref<4xf32>
}

// -----
// Largest first, into the smallest gap that fits: 4096 and 1024 take turns with
// 2048 and 3072; no byte is wasted. A buffer that nobody touches disappears.
// CHECK-LABEL: exec.entry @place arena = 6144
// CHECK-NOT: memref<77xf32>
// CHECK: exec.state_decl "x2" parameter offset = 0 :
// CHECK: exec.state_decl "y2" parameter offset = 256 :
exec.entry @place {
  %x = exec.input "x" : memref<256xf32>
  %y = exec.input "y" : memref<1024xf32>
  %z = exec.input "z" : memref<512xf32>
  %y2 = exec.state "y2" : memref<1024xf32>
  %unused = exec.alloc : memref<77xf32>
  %a = exec.alloc : memref<1024xf32>
  %b = exec.alloc : memref<256xf32>
  %c = exec.alloc as output : memref<512xf32>
  %o = exec.alloc as output : memref<256xf32>
  exec.copy %y to %a : memref<1024xf32>
  exec.copy %x to %b : memref<256xf32>
  exec.copy %b to %o : memref<256xf32>
  exec.all_reduce <sum> ins(%a, %o : memref<1024xf32>, memref<256xf32>) outs(%a, %o : memref<1024xf32>, memref<256xf32>) group = "data"
  exec.fill %a : memref<1024xf32>
  exec.copy %z to %c : memref<512xf32>
  exec.output "c" %c : memref<512xf32>
  exec.output "o" %o : memref<256xf32>
}
exec.state_decl "x2" parameter : memref<4xf32> init #graph.zeros
exec.state_decl "y2" parameter : memref<1024xf32> init #graph.zeros

// -----
// The first bucket travels while the gradient of the second is made: what needs
// it waits for that. Both are reduced where they lie, and nothing takes their
// memory meanwhile.
// CHECK-LABEL: exec.entry @overlap arena = 8192
// CHECK: exec.copy %{{.*}} to %[[G1:.*]] : memref<1024xf32>
// CHECK-NEXT: %[[T1:.*]] = exec.all_reduce_start <average> ins(%[[G1]] : memref<1024xf32>) outs(%[[R1:.*]] : memref<1024xf32>) group = "data"
// CHECK-NEXT: exec.copy %{{.*}} to %[[G2:.*]] : memref<1024xf32>
// CHECK-NEXT: %[[T2:.*]] = exec.all_reduce_start <average> ins(%[[G2]] : memref<1024xf32>) outs(%[[R2:.*]] : memref<1024xf32>) group = "data"
// CHECK-NEXT: exec.all_reduce_done %[[T1]]
// CHECK-NEXT: exec.copy %[[R1]] to %{{.*}} : memref<1024xf32>
// CHECK-NEXT: exec.all_reduce_done %[[T2]]
// CHECK-NEXT: exec.copy %[[R2]] to %{{.*}} : memref<1024xf32>
// Beside the first one a copy and the start of the second, beside that a copy.
// REMARK: remark: {{.*}}overlap{{.*}}steps_beside=3
exec.state_decl "w1" parameter : memref<1024xf32> init #graph.zeros
exec.state_decl "w2" parameter : memref<1024xf32> init #graph.zeros
exec.entry @overlap {
  %x = exec.input "x" : memref<1024xf32>
  %y = exec.input "y" : memref<1024xf32>
  %g1 = exec.alloc as gradient : memref<1024xf32>
  %r1 = exec.alloc as gradient : memref<1024xf32>
  %n1 = exec.alloc : memref<1024xf32>
  %g2 = exec.alloc as gradient : memref<1024xf32>
  %r2 = exec.alloc as gradient : memref<1024xf32>
  %n2 = exec.alloc : memref<1024xf32>
  exec.copy %x to %g1 : memref<1024xf32>
  exec.all_reduce <average> ins(%g1 : memref<1024xf32>) outs(%r1 : memref<1024xf32>) group = "data"
  exec.copy %r1 to %n1 : memref<1024xf32>
  exec.update "w1" = %n1 : memref<1024xf32>
  exec.copy %y to %g2 : memref<1024xf32>
  exec.all_reduce <average> ins(%g2 : memref<1024xf32>) outs(%r2 : memref<1024xf32>) group = "data"
  exec.copy %r2 to %n2 : memref<1024xf32>
  exec.update "w2" = %n2 : memref<1024xf32>
}

// -----
// What reads the gradient of this rank while it travels keeps it from being
// reduced in place; so does an output.
// CHECK-LABEL: exec.entry @own_gradient arena = 3072
// CHECK: %[[T:.*]] = exec.all_reduce_start <sum> ins(%[[G:.*]] : memref<256xf32>) outs(%[[R:.*]] : memref<256xf32>)
// CHECK-NEXT: exec.copy %[[G]] to %{{.*}} : memref<256xf32>
// CHECK-NEXT: exec.all_reduce_done %[[T]]
// CHECK-NEXT: exec.output "own"
exec.entry @own_gradient {
  %x = exec.input "x" : memref<256xf32>
  %g = exec.alloc as gradient : memref<256xf32>
  %r = exec.alloc as output : memref<256xf32>
  %o = exec.alloc as output : memref<256xf32>
  exec.copy %x to %g : memref<256xf32>
  exec.all_reduce <sum> ins(%g : memref<256xf32>) outs(%r : memref<256xf32>) group = "data"
  exec.copy %g to %o : memref<256xf32>
  exec.output "own" %o : memref<256xf32>
  exec.output "sum" %r : memref<256xf32>
}

// -----
// Two parameters may have one gradient, and be in two buckets: the second is
// not written where the first, which is under way, is read.
// CHECK-LABEL: exec.entry @one_gradient_of_two
// CHECK: exec.copy %{{.*}} to %[[G:.*]] : memref<256xf32>
// CHECK: exec.all_reduce_start <sum> ins(%[[G]] : memref<256xf32>) outs(%[[R1:.*]] : memref<256xf32>)
// CHECK-NEXT: exec.all_reduce_start <sum> ins(%[[G]] : memref<256xf32>) outs(%[[R2:.*]] : memref<256xf32>)
exec.entry @one_gradient_of_two {
  %x = exec.input "x" : memref<256xf32>
  %g = exec.alloc as gradient : memref<256xf32>
  %r1 = exec.alloc as output : memref<256xf32>
  %r2 = exec.alloc as output : memref<256xf32>
  exec.copy %x to %g : memref<256xf32>
  exec.all_reduce <sum> ins(%g : memref<256xf32>) outs(%r1 : memref<256xf32>) group = "data"
  exec.all_reduce <sum> ins(%g : memref<256xf32>) outs(%r2 : memref<256xf32>) group = "data"
  exec.output "first" %r1 : memref<256xf32>
  exec.output "second" %r2 : memref<256xf32>
}

// -----
// A bucket that the next one is made of is waited for in front of that.
// CHECK-LABEL: exec.entry @chain
// CHECK: %[[T1:.*]] = exec.all_reduce_start <sum>
// CHECK-NEXT: exec.all_reduce_done %[[T1]]
// CHECK-NEXT: exec.copy
// CHECK-NEXT: %[[T2:.*]] = exec.all_reduce_start <sum>
// CHECK-NEXT: exec.all_reduce_done %[[T2]]
exec.entry @chain {
  %x = exec.input "x" : memref<256xf32>
  %a = exec.alloc : memref<256xf32>
  %b = exec.alloc : memref<256xf32>
  %c = exec.alloc as output : memref<256xf32>
  exec.all_reduce <sum> ins(%x : memref<256xf32>) outs(%a : memref<256xf32>) group = "data"
  exec.copy %a to %b : memref<256xf32>
  exec.all_reduce <sum> ins(%b : memref<256xf32>) outs(%c : memref<256xf32>) group = "data"
  exec.output "c" %c : memref<256xf32>
}

// -----
// Equal constants share their bytes over all entries.
// CHECK-LABEL: exec.entry @one
// CHECK: exec.constant offset = 0 : {{.*}}2.000
// CHECK: exec.constant offset = 256 : {{.*}}4.000
// CHECK-LABEL: exec.entry @two
// CHECK: exec.constant offset = 256 : {{.*}}4.000
exec.entry @one {
  %a = exec.constant : memref<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
  %b = exec.constant : memref<2xf32> = dense<[3.0, 4.0]> : tensor<2xf32>
}
exec.entry @two {
  %b = exec.constant : memref<2xf32> = dense<[3.0, 4.0]> : tensor<2xf32>
}

// -----
// The same where the buffer that dies is declared after what takes its place,
// and views of that: the memory map tells of the larger category.
// CHECK-LABEL: exec.entry @declared_late arena = 256
// CHECK: %[[A:.*]] = exec.alloc as output offset = 0 : memref<4xf32>
// CHECK-NEXT: %[[B:.*]] = exec.renew %[[A]] :
// CHECK-NEXT: exec.view %[[B]] :
exec.kernel @neg extent = 1 grain = 1 reads = 16 writes = 16 in_place = [0, 0] {
^bb0(%x: tensor<4xf32>):
  %y = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.neg %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
}
exec.entry @declared_late {
  %x = exec.input "x" : memref<4xf32>
  %b = exec.alloc as output : memref<4xf32>
  %v = exec.view %b : memref<4xf32> to memref<2x2xf32>
  %a = exec.alloc as activation : memref<4xf32>
  exec.launch @neg ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  exec.launch @neg ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  exec.output "c" %v : memref<2x2xf32>
}

// -----
// Two results that may each lie on one operand: the first does, though nobody
// reads it.
// CHECK-LABEL: exec.entry @both_in_place arena = 512
// CHECK: %[[A:.*]] = exec.alloc offset = {{0|256}} : memref<4xf32>
// CHECK: %[[B:.*]] = exec.renew %[[A]] :
// CHECK: %[[C:.*]] = exec.alloc offset = {{0|256}} : memref<4xf32>
// CHECK: exec.launch @two ins(%[[A]] : memref<4xf32>) outs(%[[B]], %[[C]] :
exec.kernel @two extent = 1 grain = 1 reads = 16 writes = 32 in_place = [0, 0, 0, 1] {
^bb0(%x: tensor<4xf32>):
  %y:2 = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.neg %a : tensor<4xf32>
    %c = graph.exp %a : tensor<4xf32>
    graph.yield %b, %c : tensor<4xf32>, tensor<4xf32>
  }
}
exec.entry @both_in_place {
  %x = exec.input "x" : memref<4xf32>
  %a = exec.alloc : memref<4xf32>
  exec.copy %x to %a : memref<4xf32>
  %b = exec.alloc : memref<4xf32>
  %c = exec.alloc : memref<4xf32>
  exec.launch @two ins(%a : memref<4xf32>) outs(%b, %c : memref<4xf32>, memref<4xf32>)
  exec.output "c" %c : memref<4xf32>
}

// -----
// What no step and no output touches goes, with its views.
// CHECK-LABEL: exec.entry @untouched arena = 0
// CHECK-NEXT: }
exec.entry @untouched {
  %a = exec.alloc : memref<4xf32>
  %v = exec.view %a : memref<4xf32> to memref<2x2xf32>
  %n = exec.renew %v : memref<2x2xf32> to memref<4xf32>
}

// -----
// A product's result takes the place of the tensor that is added to it, if
// nobody reads that later.
// CHECK-LABEL: exec.entry @addends arena = 512
// CHECK: %[[Y:.*]] = exec.renew %[[R:.*]] : memref<4x4xf32>
// CHECK: exec.call #exec.matmul ins(lhs %[[X:.*]] : memref<4x4xf32>, rhs %[[X]] : memref<4x4xf32>, addend %[[R]] : memref<4x4xf32>) outs(result %[[Y]] : memref<4x4xf32>)
// CHECK: exec.call #exec.matmul ins(lhs %[[X]] : memref<4x4xf32>, rhs %[[X]] : memref<4x4xf32>, addend %[[Y]] : memref<4x4xf32>) outs(result %[[Z:.*]] : memref<4x4xf32>)
// CHECK: exec.output "y" %[[Y]]
// CHECK: exec.output "z" %[[Z]]
exec.entry @addends {
  %x = exec.input "x" : memref<4x4xf32>
  %r = exec.alloc : memref<4x4xf32>
  exec.call #exec.matmul ins(lhs %x : memref<4x4xf32>, rhs %x : memref<4x4xf32>) outs(result %r : memref<4x4xf32>)
  %y = exec.alloc as output : memref<4x4xf32>
  exec.call #exec.matmul ins(lhs %x : memref<4x4xf32>, rhs %x : memref<4x4xf32>, addend %r : memref<4x4xf32>) outs(result %y : memref<4x4xf32>)
  %z = exec.alloc as output : memref<4x4xf32>
  exec.call #exec.matmul ins(lhs %x : memref<4x4xf32>, rhs %x : memref<4x4xf32>, addend %y : memref<4x4xf32>) outs(result %z : memref<4x4xf32>)
  exec.output "y" %y : memref<4x4xf32>
  exec.output "z" %z : memref<4x4xf32>
}

// -----
// Not where the product reads it, too.
// CHECK-LABEL: exec.entry @read_twice arena = 512
// CHECK-NOT: exec.renew
exec.entry @read_twice {
  %x = exec.input "x" : memref<4x4xf32>
  %r = exec.alloc : memref<4x4xf32>
  exec.call #exec.matmul ins(lhs %x : memref<4x4xf32>, rhs %x : memref<4x4xf32>) outs(result %r : memref<4x4xf32>)
  %y = exec.alloc as output : memref<4x4xf32>
  exec.call #exec.matmul ins(lhs %r : memref<4x4xf32>, rhs %x : memref<4x4xf32>, addend %r : memref<4x4xf32>) outs(result %y : memref<4x4xf32>)
  exec.output "y" %y : memref<4x4xf32>
}

// -----
// A sum over micro-batches grows where it is.
// CHECK-LABEL: exec.entry @sums arena = 0
// CHECK: %[[G:.*]] = exec.state "g"
// CHECK: %[[N:.*]] = exec.renew %[[G]] :
// CHECK: exec.call {{.*}}, addend %[[G]] : memref<4x4xf32>) outs(result %[[N]] : memref<4x4xf32>)
// CHECK-NOT: exec.copy
exec.state_decl "w" parameter : memref<4x4xf32> init #graph.zeros
exec.state_decl "g" accumulator of "w" : memref<4x4xf32> init #graph.zeros
exec.entry @sums {
  %x = exec.input "x" : memref<4x4xf32>
  %g = exec.state "g" : memref<4x4xf32>
  %n = exec.alloc : memref<4x4xf32>
  exec.call #exec.matmul ins(lhs %x : memref<4x4xf32>, rhs %x : memref<4x4xf32>, addend %g : memref<4x4xf32>) outs(result %n : memref<4x4xf32>)
  exec.update "g" = %n : memref<4x4xf32>
}
