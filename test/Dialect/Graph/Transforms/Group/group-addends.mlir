// Which tensors a library call adds to its product, as its C operand.
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-group --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-group=print-decisions --verify-diagnostics --split-input-file -o /dev/null

// The residual stream: the sum is read by the norm at once, and later. Without
// the product the kernel would read two tensors and write two.
// CHECK-LABEL: func.func @residual(
// CHECK: %[[SUM:.*]] = graph.group <library> %{{.*}}, %{{.*}}, %{{.*}}, %arg2
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: %[[N:.*]] = graph.group <row> %[[SUM]] : (tensor<8x16xf16>) -> tensor<8x16xf16>
// CHECK: graph.group <library> %[[N]], %{{.*}}, %[[SUM]]
// CHECK-NOT: graph.group
// CHECK: return
func.func @residual(%x: tensor<8x4xf16>, %w: tensor<4x16xf16>, %r: tensor<8x16xf16>, %b: tensor<16xf16>, %v: tensor<16x16xf16>) -> tensor<8x16xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x16xf16>
  %1 = graph.add %0, %b : (tensor<8x16xf16>, tensor<16xf16>) -> tensor<8x16xf16>
  // expected-remark@+2 {{library group of 3 ops}}
  // expected-remark@+1 {{added to its product by 'graph.matmul', 256 bytes fewer to move}}
  %2 = graph.add %r, %1 : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{row group of 1 ops}}
  %3 = graph.exp %2 : tensor<8x16xf16>
  %4 = graph.matmul %3, %v : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+2 {{library group of 2 ops}}
  // expected-remark@+1 {{added to its product by 'graph.matmul', 256 bytes fewer to move}}
  %5 = graph.add %2, %4 : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
  return %5 : tensor<8x16xf16>
}

// -----
// Of two products the later takes the result of the earlier; each takes one.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[AB:.*]] = graph.group <library> %arg0, %arg1 :
// CHECK: %[[CD:.*]] = graph.group <library> %arg2, %arg3, %[[AB]] :
// CHECK: graph.group <row> %[[CD]], %arg4 :
// CHECK-NOT: graph.group
// CHECK: return
func.func @chain(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>, %c: tensor<8x4xf32>, %d: tensor<4x16xf32>, %r: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-remark@+1 {{library group of 1 ops}}
  %0 = graph.matmul %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %c, %d : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+2 {{library group of 2 ops}}
  // expected-remark@+1 {{added to its product by 'graph.matmul', in the place of the other operand}}
  %2 = graph.add %0, %1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+2 {{not fused with 'graph.matmul': the product has an addend already}}
  // expected-remark@+1 {{row group of 1 ops}}
  %3 = graph.add %2, %r : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----
// A cell of a recurrent network: the function comes after the sum.
// CHECK-LABEL: func.func @cell(
// CHECK: %[[X:.*]] = graph.group <library> %arg0, %arg1, %arg4 :
// CHECK: graph.group <library> %arg2, %arg3, %[[X]] :
// CHECK: graph.gelu
// CHECK-NOT: graph.group
// CHECK: return
func.func @cell(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %h: tensor<8x16xf32>, %u: tensor<16x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{library group of 2 ops}}
  %1 = graph.add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = graph.matmul %h, %u : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{added to its product by 'graph.matmul', in the place of the other operand}}
  %3 = graph.add %1, %2 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{library group of 3 ops}}
  %4 = graph.gelu %3 kind = <tanh> : tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}

// -----
// Behind a reshape, which is a view: the sum is reshaped.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[R:.*]] = graph.reshape %arg2 : (tensor<2x4x16xf32>) -> tensor<8x16xf32>
// CHECK: %[[SUM:.*]] = graph.group <library> %arg0, %arg1, %arg3, %[[R]] : {{.*}} -> tensor<8x16xf32>
// CHECK: graph.reshape %[[SUM]] : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
// CHECK-NOT: graph.group
// CHECK: return
func.func @rows(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<2x4x16xf32>, %b: tensor<16xf32>) -> tensor<2x4x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = graph.add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = graph.reshape %1 : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
  // expected-remark@+2 {{library group of 3 ops}}
  // expected-remark@+1 {{added to its product by 'graph.matmul', 512 bytes fewer to move}}
  %3 = graph.add %r, %2 : (tensor<2x4x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %3 : tensor<2x4x16xf32>
}

// -----
// Heads of a batch of one: the reshape only adds dims.
// CHECK-LABEL: func.func @units(
// CHECK: graph.group <library> %arg0, %arg1, %{{.*}} : {{.*}} -> tensor<8x16xf32>
// CHECK-NOT: graph.group
// CHECK: return
func.func @units(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{move group of 1 ops}}
  %1 = graph.reshape %0 : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
  // expected-remark@+2 {{library group of 2 ops}}
  // expected-remark@+1 {{added to its product by 'graph.matmul', 512 bytes fewer to move}}
  %2 = graph.add %1, %r : (tensor<1x8x16xf32>, tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  return %2 : tensor<1x8x16xf32>
}

// -----
// What only this kernel computes would be stored for the call.
// CHECK-LABEL: func.func @computed(
// CHECK: graph.group <library> %arg0, %arg1 :
// CHECK: graph.group <row>
// CHECK: return
func.func @computed(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = graph.exp %r : tensor<8x16xf32>
  // expected-remark@+1 {{library group of 1 ops}}
  %1 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+2 {{not fused with 'graph.matmul': the other operand would be stored for it}}
  // expected-remark@+1 {{row group of 2 ops}}
  %2 = graph.add %1, %0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----
// Nor does it wait for what is made after it.
// CHECK-LABEL: func.func @later(
// CHECK: graph.group <library> %arg0, %arg1 :
// CHECK: graph.group <move>
// CHECK: graph.group <row>
// CHECK: return
func.func @later(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %q: tensor<1x8x1x16xf32>) -> tensor<8x16xf32> {
  // expected-remark@+1 {{library group of 1 ops}}
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{move group of 1 ops}}
  %1 = graph.transpose %q permutation = [0, 3, 2, 1] : (tensor<1x8x1x16xf32>) -> tensor<1x16x1x8xf32>
  %2 = graph.reshape %1 : (tensor<1x16x1x8xf32>) -> tensor<8x16xf32>
  // expected-remark@+2 {{not fused with 'graph.matmul': the other operand is made after the product}}
  // expected-remark@+1 {{row group of 1 ops}}
  %3 = graph.add %0, %2 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----
// Where only one kernel reads the sum, and the other operand stays in memory,
// nothing is saved.
// CHECK-LABEL: func.func @read_once(
// CHECK: graph.group <library> %arg0, %arg1 :
// CHECK: graph.group <row> %{{.*}}, %{{.*}} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
// CHECK: return
func.func @read_once(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<8x16xf32>) -> tensor<8xf32> {
  // expected-remark@+1 {{library group of 1 ops}}
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{not fused with 'graph.matmul': the kernel that adds need not store the sum, so nothing is saved}}
  %1 = graph.add %0, %r : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark@+1 {{row group of 2 ops}}
  %2 = graph.sum %1 dims = [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----
// A product that others read, too, is stored as it is; so is one whose sum with
// itself, with a row of another type or with a number that repeats is asked for.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: graph.group <library> %{{[^,]*}}, %{{[^,]*}} :
// CHECK-NOT: graph.group <library>
// CHECK: return
func.func @others(%x: tensor<8x4xf16>, %w: tensor<4x16xf16>, %r: tensor<8x16xf16>, %s: tensor<8x1xf16>, %f: tensor<8x16xf32>) -> (tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf32>) {
  // expected-remark@+1 {{library group of 1 ops}}
  %0 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{row group of 1 ops}}
  %1 = graph.add %0, %r : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{library group of 1 ops}}
  %2 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{row group of 1 ops}}
  %3 = graph.add %2, %2 : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{library group of 1 ops}}
  %4 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{row group of 1 ops}}
  %5 = graph.add %4, %s : (tensor<8x16xf16>, tensor<8x1xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{library group of 1 ops}}
  %6 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x16xf16>
  %7 = graph.cast %6 : (tensor<8x16xf16>) -> tensor<8x16xf32>
  // expected-remark@+1 {{row group of 2 ops}}
  %8 = graph.add %7, %f : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1, %3, %5, %8 : tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf32>
}

// -----
// With strict rounding the product is rounded before the sum.
// CHECK-LABEL: func.func @strict(
// CHECK: graph.group <library> %arg0, %arg1 :
// CHECK: graph.group <row>
// CHECK: return
func.func @strict(%x: tensor<8x4xf16>, %w: tensor<4x16xf16>, %r: tensor<8x16xf16>) -> tensor<8x16xf16>
    attributes {graph.training = #graph.training<rounding = "strict">} {
  // expected-remark@+1 {{library group of 1 ops}}
  %0 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x16xf16>
  // expected-remark@+1 {{row group of 1 ops}}
  %1 = graph.add %0, %r : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
  return %1 : tensor<8x16xf16>
}
