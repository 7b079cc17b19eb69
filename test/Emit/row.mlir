// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// The loops of row kernels.

// Three sweeps: maximum, exponentials and their sum, quotients. The exponentials
// are kept in a row buffer; the tail of 3 of 19 columns is masked.
// CHECK-LABEL: func.func @softmax_0(
// CHECK-SAME: %[[X:.*]]: memref<40x67xf32>, %[[Y:.*]]: memref<40x67xf16>, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<80xf32>
// CHECK: scf.for %{{.*}} = %[[LO]] to %[[HI]]
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: %[[MASK:.*]] = vector.constant_mask [3] : vector<16xi1>
// CHECK: vector.maskedload
// CHECK: arith.select %[[MASK]]
// CHECK: arith.cmpf ogt
// CHECK: vector.shuffle
// CHECK: math.exp
// CHECK: vector.store {{.*}} memref<80xf32>
// CHECK: arith.divf
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: vector.maskedstore
// CHECK-NOT: math.exp
func.func @softmax(%x: tensor<40x67xf32>) -> tensor<40x67xf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<40x67xf32>) -> tensor<40x67xf32>
  %1 = graph.cast %0 : (tensor<40x67xf32>) -> tensor<40x67xf16>
  return %1 : tensor<40x67xf16>
}

// Without reductions or broadcasts the dims are one: [33, 10] has no short rows.
// Items are segments of 4096; 330 elements are one.
// CHECK-LABEL: func.func @flat_0(
// CHECK: scf.for
// CHECK: scf.for {{.*}} to %c320 step %c32
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
// CHECK: vector.constant_mask [10]
// CHECK-NOT: scf.for
func.func @flat(%x: tensor<33x10xf32>) -> tensor<33x10xf32> {
  %0 = graph.neg %x : tensor<33x10xf32>
  return %0 : tensor<33x10xf32>
}

// The last segment has loops of its own.
// CHECK-LABEL: func.func @segments_0(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for {{.*}} to %c896
// CHECK: } else {
// CHECK: scf.for {{.*}} to %c4096
func.func @segments(%x: tensor<4999xf32>) -> tensor<4999xf32> {
  %0 = graph.neg %x : tensor<4999xf32>
  return %0 : tensor<4999xf32>
}

// A scalar is loaded and computed once, before the items; a row's factor once
// per item; i1 is stored as i8.
// CHECK-LABEL: func.func @hoisted_0(
// CHECK: memref.load {{.*}} memref<1xf32>
// CHECK: math.exp %{{.*}} : f32
// CHECK: scf.for
// CHECK: memref.load {{.*}} memref<8xf32>
// CHECK: vector.load
// CHECK: arith.extui {{.*}} : vector<16xi1> to vector<16xi8>
func.func @hoisted(%x: tensor<8x32xf32>, %r: tensor<8x1xf32>, %s: tensor<f32>) -> tensor<8x32xi1> {
  %0 = graph.exp %s : tensor<f32>
  %1 = graph.mul %x, %0 : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %2 = graph.compare <lt> %1, %r : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xi1>
  return %2 : tensor<8x32xi1>
}

// A chain of scalars has no vectors.
// CHECK-LABEL: func.func @scalars_0(
// CHECK-NOT: vector.
// CHECK: memref.store
func.func @scalars(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = graph.div %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// f64 has 8 lanes.
// CHECK-LABEL: func.func @wide_0(
// CHECK: vector.load {{.*}} vector<8xf64>
func.func @wide(%x: tensor<64xf64>) -> tensor<64xf64> {
  %0 = graph.neg %x : tensor<64xf64>
  return %0 : tensor<64xf64>
}

// A single lane is stored as a scalar.
// CHECK-LABEL: func.func @one_lane_0(
// CHECK: vector.extract
// CHECK: memref.store {{.*}} memref<17xf16>
func.func @one_lane(%x: tensor<17xf16>) -> tensor<17xf16> {
  %0 = graph.neg %x : tensor<17xf16>
  return %0 : tensor<17xf16>
}

// A row of bf16 is widened once, and its weight once per task, before the rows.
// CHECK-LABEL: func.func @widened_0(
// CHECK-DAG: %[[ROW:.*]] = memref.alloca() {alignment = 64 : i64} : memref<272xf32>
// CHECK-DAG: %[[WEIGHT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<272xf32>
// CHECK: scf.for
// CHECK: %[[WIDE:.*]] = arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: vector.store %[[WIDE]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: arith.extf {{.*}} : vector<16xbf16>
// CHECK: scf.for
// CHECK-NOT: arith.extf
// CHECK: arith.truncf
// CHECK-NOT: arith.extf
// CHECK: return
func.func @widened(%x: tensor<64x272xbf16>, %w: tensor<272xf16>) -> tensor<64x272xbf16> {
  %f = graph.cast %x : (tensor<64x272xbf16>) -> tensor<64x272xf32>
  %s = graph.sum %f dims = [1] keep : (tensor<64x272xf32>) -> tensor<64x1xf32>
  %v = graph.cast %w : (tensor<272xf16>) -> tensor<272xf32>
  %d = graph.mul %f, %s : (tensor<64x272xf32>, tensor<64x1xf32>) -> tensor<64x272xf32>
  %p = graph.mul %d, %v : (tensor<64x272xf32>, tensor<272xf32>) -> tensor<64x272xf32>
  %y = graph.cast %p : (tensor<64x272xf32>) -> tensor<64x272xbf16>
  return %y : tensor<64x272xbf16>
}

// A sum in bf16 is rounded once, for memory and for the sweeps that read it,
// and its operands are read once.
// CHECK-LABEL: func.func @stream_0(
// CHECK-COUNT-1: memref.alloca()
// CHECK-NOT: memref.alloca()
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[SUM]]
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[NARROW]]
// CHECK-NEXT: vector.store %[[WIDE]], %[[ROW:.*]][
// CHECK-NEXT: arith.maximumf %{{.*}}, %[[WIDE]]
// CHECK-NEXT: vector.store %[[NARROW]],
// CHECK: scf.for
// CHECK-NEXT: vector.load %[[ROW]]
// CHECK-NOT: arith.addf {{.*}} : vector<16xf32>
// CHECK: return
func.func @stream(%x: tensor<64x272xbf16>, %y: tensor<64x272xbf16>) -> (tensor<64x272xbf16>, tensor<64x272xf32>) {
  %h = graph.add %x, %y : (tensor<64x272xbf16>, tensor<64x272xbf16>) -> tensor<64x272xbf16>
  %f = graph.cast %h : (tensor<64x272xbf16>) -> tensor<64x272xf32>
  %m = graph.max %f dims = [1] keep : (tensor<64x272xf32>) -> tensor<64x1xf32>
  %d = graph.sub %f, %m : (tensor<64x272xf32>, tensor<64x1xf32>) -> tensor<64x272xf32>
  return %h, %d : tensor<64x272xbf16>, tensor<64x272xf32>
}

// One instruction widens f16: rows are read again. A task of one row widens a
// weight where it needs it.
// CHECK-LABEL: func.func @narrow_0(
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @narrow(%x: tensor<64x16400xf16>, %w: tensor<16400xf16>) -> tensor<64x16400xf32> {
  %f = graph.cast %x : (tensor<64x16400xf16>) -> tensor<64x16400xf32>
  %s = graph.sum %f dims = [1] keep : (tensor<64x16400xf32>) -> tensor<64x1xf32>
  %v = graph.cast %w : (tensor<16400xf16>) -> tensor<16400xf32>
  %d = graph.mul %f, %s : (tensor<64x16400xf32>, tensor<64x1xf32>) -> tensor<64x16400xf32>
  %p = graph.mul %d, %v : (tensor<64x16400xf32>, tensor<16400xf32>) -> tensor<64x16400xf32>
  return %p : tensor<64x16400xf32>
}

// The exponentials of a row of 50257 are kept; those of 70000 would take more
// than 256 KiB of the stack.
// CHECK-LABEL: func.func @vocabulary_0(
// CHECK: memref.alloca() {{.*}} memref<50272xf32>
// CHECK: return
// CHECK-LABEL: func.func @longer_0(
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @vocabulary(%x: tensor<4x50257xf32>) -> tensor<4x50257xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<4x50257xf32>) -> tensor<4x50257xf32>
  return %0 : tensor<4x50257xf32>
}
func.func @longer(%x: tensor<4x70000xf32>) -> tensor<4x70000xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<4x70000xf32>) -> tensor<4x70000xf32>
  return %0 : tensor<4x70000xf32>
}

// An exponential of x - max(x) cannot overflow, and says so; one of x - max(y)
// can, and so can one of what is rounded before the maximum is taken.
// CHECK-LABEL: func.func @below_0(
// CHECK: math.exp {{.*}} {mpc.never_positive} : vector<16xf32>
// CHECK: return
// CHECK-LABEL: func.func @beside_0(
// CHECK-NOT: mpc.never_positive
// CHECK: return
// CHECK-LABEL: func.func @rounded_0(
// CHECK-NOT: mpc.never_positive
// CHECK: return
func.func @below(%x: tensor<8x64xf16>) -> tensor<8x64xf32> {
  %f = graph.cast %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %m = graph.max %f dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %f, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %e = graph.exp %d : tensor<8x64xf32>
  return %e : tensor<8x64xf32>
}
func.func @beside(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %m = graph.max %y dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %x, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %e = graph.exp %d : tensor<8x64xf32>
  return %e : tensor<8x64xf32>
}
func.func @rounded(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %n = graph.neg %x : tensor<8x64xf16>
  %m = graph.max %n dims = [1] keep : (tensor<8x64xf16>) -> tensor<8x1xf16>
  %d = graph.sub %n, %m : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %e = graph.exp %d : tensor<8x64xf16>
  return %e : tensor<8x64xf16>
}
