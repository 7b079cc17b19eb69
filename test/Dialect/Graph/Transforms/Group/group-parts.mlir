// RUN: mpc-opt %s --split-input-file --mpc-decompose --cse --mpc-group | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-decompose --cse --mpc-group=print-decisions -o /dev/null 2>&1 | FileCheck %s --check-prefix=DECIDED
// RUN: mpc-opt %s --split-input-file --mpc-decompose --cse --mpc-set-target=target=cuda --mpc-group=print-decisions -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU
// Columns of a tensor whose rows are folded, too, are folded in parts by the
// kernel that has the rows; another one folds the parts. Each tensor is read
// once.

// 600 rows are 50 parts of 12, one for each of 64 threads, nearly. For a GPU they
// are 75 of 8: it wants 264.
// CHECK-LABEL: func.func @norm(
// CHECK-NEXT: %[[ROWS:.*]]:3 = graph.group <row> %arg0, %arg1 : (tensor<600x24xbf16>, tensor<600x24xbf16>) -> (tensor<50x24xf32>, tensor<50x24xf32>, tensor<600x24xbf16>)
// CHECK: graph.sum %{{.*}} dims = [1] keep
// CHECK: graph.partial_sum %{{.*}} dims = [0] rows = 12 : (tensor<600x24xf32>) -> tensor<50x24xf32>
// CHECK: graph.partial_sum %{{.*}} dims = [0] rows = 12 : (tensor<600x24xf32>) -> tensor<50x24xf32>
// CHECK: graph.yield
// CHECK: graph.group <column> %[[ROWS]]#0, %[[ROWS]]#1 : (tensor<50x24xf32>, tensor<50x24xf32>) -> (tensor<24xf32>, tensor<24xf32>)
// CHECK-NOT: graph.group
// CHECK: return
// DECIDED: folded in parts of 12 rows, beside the rows of the same tensors
// GPU: folded in parts of 8 rows, beside the rows of the same tensors
func.func @norm(%x: tensor<600x24xbf16>, %dy: tensor<600x24xbf16>) -> (tensor<24xf32>, tensor<24xf32>, tensor<600x24xbf16>) {
  %xf = graph.cast %x : (tensor<600x24xbf16>) -> tensor<600x24xf32>
  %df = graph.cast %dy : (tensor<600x24xbf16>) -> tensor<600x24xf32>
  %s = graph.sum %xf dims = [1] keep : (tensor<600x24xf32>) -> tensor<600x1xf32>
  %n = graph.mul %xf, %s : (tensor<600x24xf32>, tensor<600x1xf32>) -> tensor<600x24xf32>
  %p = graph.mul %df, %n : (tensor<600x24xf32>, tensor<600x24xf32>) -> tensor<600x24xf32>
  %w = graph.sum %p dims = [0] : (tensor<600x24xf32>) -> tensor<24xf32>
  %b = graph.sum %df dims = [0] : (tensor<600x24xf32>) -> tensor<24xf32>
  %h = graph.cast %n : (tensor<600x24xf32>) -> tensor<600x24xbf16>
  return %w, %b, %h : tensor<24xf32>, tensor<24xf32>, tensor<600x24xbf16>
}

// -----

// Not a pattern of ops: the columns of what a softmax gives. Rows are indices
// of several dims; a sum in 16 bits is rounded once, when all parts are added.
// CHECK-LABEL: func.func @softmax(
// CHECK: graph.group <row> {{.*}} -> (tensor<4x8x33xf16>, tensor<4x33xf32>)
// CHECK: graph.partial_sum %{{.*}} dims = [0, 1] rows = 8 : (tensor<4x8x33xf16>) -> tensor<4x33xf32>
// CHECK: graph.group <column> {{.*}} -> tensor<1x1x33xf16>
// CHECK: graph.sum %{{.*}} dims = [0] : (tensor<4x33xf32>) -> tensor<33xf32>
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.cast %{{.*}} because "decomposed: sum"
// CHECK-NOT: graph.group
func.func @softmax(%x: tensor<4x8x33xf16>) -> (tensor<4x8x33xf16>, tensor<1x1x33xf16>) {
  %y = graph.softmax %x dim = 2 : (tensor<4x8x33xf16>) -> tensor<4x8x33xf16>
  %b = graph.sum %y dims = [0, 1] keep : (tensor<4x8x33xf16>) -> tensor<1x1x33xf16>
  return %y, %b : tensor<4x8x33xf16>, tensor<1x1x33xf16>
}

// -----

// No rows are folded: the sum is one kernel as before, with what it reads.
// CHECK-LABEL: func.func @no_rows(
// CHECK-NEXT: graph.group <column>
// CHECK-NOT: graph.partial_sum
// CHECK: return
func.func @no_rows(%x: tensor<600x24xf32>) -> (tensor<600x24xf32>, tensor<24xf32>) {
  %y = graph.tanh %x : tensor<600x24xf32>
  %b = graph.sum %y dims = [0] : (tensor<600x24xf32>) -> tensor<24xf32>
  return %y, %b : tensor<600x24xf32>, tensor<24xf32>
}

// -----

// Behind a product lies another kernel: what it reads is read again anyway.
// CHECK-LABEL: func.func @behind_a_product(
// CHECK-NOT: graph.partial_sum
// CHECK: return
func.func @behind_a_product(%x: tensor<600x24xf32>, %w: tensor<24x24xf32>) -> (tensor<600x24xf32>, tensor<24xf32>) {
  %s = graph.softmax %x dim = 1 : (tensor<600x24xf32>) -> tensor<600x24xf32>
  %y = graph.matmul %s, %w : (tensor<600x24xf32>, tensor<24x24xf32>) -> tensor<600x24xf32>
  %b = graph.sum %x dims = [0] : (tensor<600x24xf32>) -> tensor<24xf32>
  return %y, %b : tensor<600x24xf32>, tensor<24xf32>
}

// -----

// Other columns than the rows have elements.
// CHECK-LABEL: func.func @other_rows(
// CHECK-NOT: graph.partial_sum
// CHECK: return
func.func @other_rows(%x: tensor<40x6x24xf32>) -> (tensor<40x6x24xf32>, tensor<6x24xf32>) {
  %s = graph.softmax %x dim = 2 : (tensor<40x6x24xf32>) -> tensor<40x6x24xf32>
  %b = graph.sum %s dims = [0] : (tensor<40x6x24xf32>) -> tensor<6x24xf32>
  return %s, %b : tensor<40x6x24xf32>, tensor<6x24xf32>
}

// -----

// A vocabulary: no cache near a core holds its columns.
// CHECK-LABEL: func.func @long_rows(
// CHECK-NOT: graph.partial_sum
// CHECK: return
// DECIDED: not folded beside the rows of the same tensors: a part takes 201028 bytes, and a kernel keeps at most 32768
func.func @long_rows(%x: tensor<64x50257xf32>) -> (tensor<64x50257xf32>, tensor<50257xf32>) {
  %s = graph.softmax %x dim = 1 : (tensor<64x50257xf32>) -> tensor<64x50257xf32>
  %b = graph.sum %s dims = [0] : (tensor<64x50257xf32>) -> tensor<50257xf32>
  return %s, %b : tensor<64x50257xf32>, tensor<50257xf32>
}

// -----

// Two such folds have room, the third one has not.
// CHECK-LABEL: func.func @much_room(
// CHECK: graph.group <row> {{.*}} -> (tensor<64x4000xf32>, tensor<8x4000xf32>, tensor<8x4000xf32>, tensor<64x4000xf32>)
// CHECK: graph.group <column> {{.*}} : (tensor<8x4000xf32>, tensor<8x4000xf32>) -> (tensor<4000xf32>, tensor<4000xf32>)
// CHECK: graph.group <column> {{.*}} : (tensor<64x4000xf32>) -> tensor<4000xf32>
// CHECK-NOT: graph.group
// CHECK: return
// DECIDED: not folded beside the rows of the same tensors: a part takes 48000 bytes, and a kernel keeps at most 32768
func.func @much_room(%x: tensor<64x4000xf32>) -> (tensor<64x4000xf32>, tensor<4000xf32>, tensor<4000xf32>, tensor<4000xf32>) {
  %s = graph.softmax %x dim = 1 : (tensor<64x4000xf32>) -> tensor<64x4000xf32>
  %a = graph.sum %s dims = [0] : (tensor<64x4000xf32>) -> tensor<4000xf32>
  %ss = graph.mul %s, %s : (tensor<64x4000xf32>, tensor<64x4000xf32>) -> tensor<64x4000xf32>
  %b = graph.sum %ss dims = [0] : (tensor<64x4000xf32>) -> tensor<4000xf32>
  %sss = graph.mul %ss, %s : (tensor<64x4000xf32>, tensor<64x4000xf32>) -> tensor<64x4000xf32>
  %c = graph.sum %sss dims = [0] : (tensor<64x4000xf32>) -> tensor<4000xf32>
  return %s, %a, %b, %c : tensor<64x4000xf32>, tensor<4000xf32>, tensor<4000xf32>, tensor<4000xf32>
}

// -----

// DECIDED: not folded beside the rows of the same tensors: its 8 rows are one part
func.func @few_rows(%x: tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<24xf32>) {
  %s = graph.softmax %x dim = 1 : (tensor<8x24xf32>) -> tensor<8x24xf32>
  %b = graph.sum %s dims = [0] : (tensor<8x24xf32>) -> tensor<24xf32>
  return %s, %b : tensor<8x24xf32>, tensor<24xf32>
}

// -----

// DECIDED: not folded beside the rows of the same tensors: it cannot be folded in parts
func.func @maximum(%x: tensor<80x24xf32>) -> (tensor<80x24xf32>, tensor<24xf32>) {
  %s = graph.softmax %x dim = 1 : (tensor<80x24xf32>) -> tensor<80x24xf32>
  %b = graph.max %s dims = [0] : (tensor<80x24xf32>) -> tensor<24xf32>
  return %s, %b : tensor<80x24xf32>, tensor<24xf32>
}

// -----

// With strict rounding a sum is a kernel of its own.
// CHECK-LABEL: func.func @strict(
// CHECK-NOT: graph.partial_sum
func.func @strict(%x: tensor<80x24xf32>) -> (tensor<80x24xf32>, tensor<24xf32>) attributes {graph.training = #graph.training<rounding = "strict">} {
  %s = graph.softmax %x dim = 1 : (tensor<80x24xf32>) -> tensor<80x24xf32>
  %b = graph.sum %s dims = [0] : (tensor<80x24xf32>) -> tensor<24xf32>
  return %s, %b : tensor<80x24xf32>, tensor<24xf32>
}
