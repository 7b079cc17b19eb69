// Mode torch follows PyTorch's lists cast for cast. Expected casts are those of
// torch.autocast; ids are those of its own tests in other words.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=torch precision=bf16 lists=cpu" --mpc-verify-autocast | FileCheck %s --check-prefix=CPU
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=torch precision=fp32" --mpc-verify-autocast | FileCheck %s --check-prefix=FP32

// lower_precision_fp: every eligible operand to the region's type, each
// argument by itself, and nothing cast back.
// CHECK-LABEL: func.func @lower_precision_fp
// CHECK: %[[A:.*]] = graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16"
// CHECK: %[[B:.*]] = graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16"
// CHECK: graph.matmul %[[A]], %[[B]] : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CPU-LABEL: func.func @lower_precision_fp
// CPU: graph.matmul {{.*}} -> tensor<8x8xbf16>
// FP32-LABEL: func.func @lower_precision_fp
// FP32-NOT: because
func.func @lower_precision_fp(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The cast cache: a parameter is cast once, an activation at every use.
// CHECK-LABEL: func.func @cache
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x8xf32> {graph.input = "x"}, %[[W:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK: graph.cast %[[X]]
// CHECK: %[[C:.*]] = graph.cast %[[W]]
// CHECK: graph.matmul %{{.*}}, %[[C]]
// CHECK: graph.cast %[[X]]
// CHECK-NOT: graph.cast %[[W]]
// CHECK: graph.matmul %{{.*}}, %[[C]]
func.func @cache(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// fp32: 16-bit operands are cast up. On the CPU's list exp is not there.
// CHECK-LABEL: func.func @fp32
// CHECK: %[[C:.*]] = graph.cast %{{.*}} because "fp32: exp runs in f32" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: graph.exp %[[C]] : tensor<8x8xf32>
// CPU-LABEL: func.func @fp32
// CPU: graph.exp %{{.*}} : tensor<8x8xbf16>
func.func @fp32(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// fp32_set_opt_dtype: operands stay, the result is f32.
// CHECK-LABEL: func.func @set_opt_dtype
// CHECK: graph.softmax %{{.*}} dim = 1 dtype = f32 : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: graph.sum %{{.*}} dims = [1] dtype = f32 : (tensor<8x8xf16>) -> tensor<8xf32>
// CPU-LABEL: func.func @set_opt_dtype
// CPU: graph.softmax %{{.*}} dim = 1 : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
func.func @set_opt_dtype(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.softmax %0 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.sum %0 dims = [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// The user's dtype wins.
// CHECK-LABEL: func.func @user_dtype
// CHECK: graph.softmax %{{.*}} dim = 1 dtype = f16 : (tensor<8x8xf16>) -> tensor<8x8xf16>
func.func @user_dtype(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf16> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.softmax %0 dim = 1 dtype = f16 : (tensor<8x8xf32>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
}

// -----

// Fallthrough: f16 with f32 promotes to f32, f16 with f16 stays; a tensor of
// rank 0 has no say.
// CHECK-LABEL: func.func @fallthrough
// CHECK: %[[M:.*]] = graph.matmul
// CHECK: graph.add %[[M]], %[[M]] : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: %[[C:.*]] = graph.cast %[[M]] because "fallthrough: add runs in f32" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: graph.add %[[C]], %{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: %[[S:.*]] = graph.cast %{{.*}} because "fallthrough: mul runs in f16" : (tensor<f32>) -> tensor<f16>
// CHECK: graph.mul %[[M]], %[[S]] : (tensor<8x8xf16>, tensor<f16>) -> tensor<8x8xf16>
// CHECK: graph.compare <lt>
// CHECK-SAME: (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
func.func @fallthrough(%x: tensor<8x8xf32> {graph.input = "x"}, %s: tensor<f32> {graph.input = "s"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.add %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.add %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.mul %0, %s : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %4 = graph.compare <lt> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  return %1, %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>
}

// -----

// Among tensors of rank 0 a constant, which is a number of Python, has no say:
// PyTorch 2.15.0, (x @ x)[0, 0] + 1.25 and its like.
// CHECK-LABEL: func.func @numbers
// CHECK: %[[R:.*]] = graph.reshape %{{.*}} : (tensor<1x1xf16>) -> tensor<f16>
// CHECK: graph.add %[[R]], %{{.*}} : (tensor<f16>, tensor<f16>) -> tensor<f16>
// CHECK: graph.mul {{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK: graph.mul {{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @numbers(%x: tensor<1x1xf32> {graph.input = "x"}, %s: tensor<f32> {graph.input = "s"})
    -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c = graph.constant dense<1.25> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = graph.reshape %0 : (tensor<1x1xf32>) -> tensor<f32>
  %2 = graph.add %1, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = graph.mul %1, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = graph.mul %s, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// promote (concat, CPU's list): (bf16, f32) gives f32, (bf16, bf16) bf16.
// CPU-LABEL: func.func @promote
// CPU: graph.cast %{{.*}} because "promote: concat runs in f32" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CPU: graph.concat {{.*}} -> tensor<16x8xf32>
// CPU: graph.concat {{.*}} -> tensor<16x8xbf16>
func.func @promote(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.concat %0, %x dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = graph.concat %0, %0 dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// Ignored types: f64 is not eligible, the op runs in f64; integers stay.
// CHECK-LABEL: func.func @ignored
// CHECK-NOT: graph.cast
// CHECK: return
func.func @ignored(%x: tensor<4x4xf64> {graph.input = "x"}, %i: tensor<4xi32> {graph.input = "i"})
    -> (tensor<4x4xf64>, tensor<4xi32>) {
  %0 = graph.matmul %x, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = graph.exp %0 : tensor<4x4xf64>
  %2 = graph.add %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %1, %2 : tensor<4x4xf64>, tensor<4xi32>
}

// -----

// A user's 16-bit value of another type: lower_precision_fp casts it to the
// region's type, fp32 to f32, as PyTorch does with any eligible tensor.
// CHECK-LABEL: func.func @third_type
// CHECK: graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16" : (tensor<8x8xbf16>) -> tensor<8x8xf16>
// CHECK: graph.cast %{{.*}} because "fp32: exp runs in f32" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
func.func @third_type(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xbf16>, tensor<8x8xbf16>) {
  %0 = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %1 = graph.matmul %0, %0 : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %2 = graph.exp %0 : tensor<8x8xbf16>
  return %1, %2 : tensor<8x8xbf16>, tensor<8x8xbf16>
}
