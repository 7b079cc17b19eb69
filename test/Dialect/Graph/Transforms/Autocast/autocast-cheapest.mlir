// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=bf16" --mpc-verify-autocast | FileCheck %s --check-prefix=BF16
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp32" --mpc-verify-autocast | FileCheck %s --check-prefix=FP32

// One cast per (value, type), right after its definition; Infer and Clear ops
// between two matmuls run narrow; what is returned has its declared type.
// CHECK-LABEL: func.func @two_layers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x16xf32>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<16x16xf32>
// CHECK-SAME: graph.autocast = {mode = "cheapest", precision = "fp16"}
// CHECK-DAG: %[[XC:.*]] = graph.cast %[[X]] because "allow: matmul runs in f16" : (tensor<8x16xf32>) -> tensor<8x16xf16>
// CHECK-DAG: %[[WC:.*]] = graph.cast %[[W]] because "allow: matmul runs in f16" : (tensor<16x16xf32>) -> tensor<16x16xf16>
// CHECK: %[[M:.*]] = graph.matmul %[[XC]], %[[WC]] : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
// CHECK: %[[A:.*]] = graph.add %[[M]], %[[XC]] : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
// CHECK: %[[R:.*]] = graph.relu %[[A]] : tensor<8x16xf16>
// CHECK: %[[N:.*]] = graph.matmul %[[R]], %[[WC]]
// CHECK: %[[BACK:.*]] = graph.cast %[[N]] because "return: result #0 is declared f32" : (tensor<8x16xf16>) -> tensor<8x16xf32>
// CHECK: return %[[BACK]]
// BF16-LABEL: func.func @two_layers
// BF16: graph.matmul {{.*}} : (tensor<8x16xbf16>, tensor<16x16xbf16>) -> tensor<8x16xbf16>
// FP32-LABEL: func.func @two_layers
// FP32-NOT: because
func.func @two_layers(%x: tensor<8x16xf32> {graph.input = "x"},
                      %w: tensor<16x16xf32> {graph.parameter = "w"})
    -> (tensor<8x16xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = graph.add %0, %x : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = graph.relu %1 : tensor<8x16xf32>
  %3 = graph.matmul %2, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----

// B1 of TensorFlow's suite: without an Allow op nothing is gained, and nothing
// changes.
// CHECK-LABEL: func.func @no_allow
// CHECK-NOT: graph.cast
// CHECK: return
func.func @no_allow(%x: tensor<32xf32> {graph.input = "x"}) -> tensor<32xf32> {
  %0 = graph.exp %x : tensor<32xf32>
  %1 = graph.relu %0 : tensor<32xf32>
  %2 = graph.sqrt %1 : tensor<32xf32>
  %3 = graph.relu %2 : tensor<32xf32>
  return %3 : tensor<32xf32>
}

// -----

// B2: a user's casts are kept, and what they made 16-bit stays so.
// CHECK-LABEL: func.func @already_f16
// CHECK: %[[C:.*]] = graph.cast %{{.*}} : (tensor<32x32xf32>) -> tensor<32x32xf16>
// CHECK: graph.matmul %[[C]], %[[C]] : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
// CHECK: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK: graph.cast %{{.*}} : (tensor<32x32xf16>) -> tensor<32x32xf32>
// CHECK: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NOT: because
// In a bf16 region the user's f16 values stay f16: they are 16-bit already.
// BF16-LABEL: func.func @already_f16
// BF16: graph.matmul {{.*}} : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
// BF16-NOT: because
// BF16: return
func.func @already_f16(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<32x32xf32> {
  %0 = graph.cast %x : (tensor<32x32xf32>) -> tensor<32x32xf16>
  %1 = graph.matmul %0, %0 : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %2 = graph.relu %1 : tensor<32x32xf16>
  %3 = graph.cast %2 : (tensor<32x32xf16>) -> tensor<32x32xf32>
  %4 = graph.relu %3 : tensor<32x32xf32>
  return %4 : tensor<32x32xf32>
}

// -----

// B3: deny -> clear -> infer -> clear -> allow -> clear -> infer -> clear ->
// deny -> clear. The cut casts at the cheapest edge: right after the first
// deny (everything after it then costs half) and right before the second.
// CHECK-LABEL: func.func @simple
// CHECK: graph.exp %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "clear: relu runs in f16 (fewest bytes)"
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.sqrt %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.log %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.cast %{{.*}} because "deny: exp runs in f32"
// CHECK-NEXT: graph.exp %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: return
func.func @simple(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<32x32xf32> {
  %0 = graph.exp %x : tensor<32x32xf32>
  %1 = graph.relu %0 : tensor<32x32xf32>
  %2 = graph.sqrt %1 : tensor<32x32xf32>
  %3 = graph.relu %2 : tensor<32x32xf32>
  %4 = graph.matmul %3, %3 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %5 = graph.relu %4 : tensor<32x32xf32>
  %6 = graph.log %5 : tensor<32x32xf32>
  %7 = graph.relu %6 : tensor<32x32xf32>
  %8 = graph.exp %7 : tensor<32x32xf32>
  %9 = graph.relu %8 : tensor<32x32xf32>
  return %9 : tensor<32x32xf32>
}

// -----

// B9: a value used three times by one list, all narrow, two casts in all.
// CHECK-LABEL: func.func @list
// CHECK-COUNT-2: graph.cast
// CHECK-NOT: graph.cast
// CHECK: return
func.func @list(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<24x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.concat %0, %0, %0 dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
  %2 = graph.matmul %1, %0 : (tensor<24x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
  return %2 : tensor<24x8xf32>
}

// -----

// A DenyIO op whose type can be chosen changes width inside, without a cast.
// CHECK-LABEL: func.func @width_inside
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK-NEXT: graph.softmax %{{.*}} dim = 1 dtype = f32 : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: return
func.func @width_inside(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.softmax %0 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// The dtype that the user wrote wins.
// CHECK-LABEL: func.func @user_dtype
// CHECK: graph.softmax %{{.*}} dim = 1 dtype = f32 : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "allow: matmul runs in f16"
func.func @user_dtype(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.softmax %0 dim = 1 dtype = f32 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// The loss and the scalar arithmetic that leads to it stay f32.
// CHECK-LABEL: func.func @loss
// CHECK: %[[S:.*]] = graph.mean %{{.*}} dims = [0, 1] dtype = f32 : (tensor<8x8xf16>) -> tensor<f32>
// CHECK: graph.mul %[[S]], %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @loss(%x: tensor<8x8xf32> {graph.input = "x"}, %c: tensor<f32> {graph.input = "c"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.mean %0 dims = [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  %2 = graph.mul %1, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// f64, integers and i1 are never touched.
// CHECK-LABEL: func.func @untouched
// CHECK: graph.matmul %{{.*}} : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
// CHECK: graph.add %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NOT: graph.cast
// CHECK: return
func.func @untouched(%x: tensor<4x4xf64> {graph.input = "x"}, %i: tensor<4xi32> {graph.input = "i"})
    -> (tensor<4x4xf64>, tensor<4xi32>) {
  %0 = graph.matmul %x, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = graph.exp %0 : tensor<4x4xf64>
  %2 = graph.add %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %1, %2 : tensor<4x4xf64>, tensor<4xi32>
}
