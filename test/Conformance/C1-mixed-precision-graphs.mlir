// C1, from TVM's test_transform_to_mixed_precision.py, with its convolutions
// and products. Both run in f16 and accumulate in f32; casts stand where values
// enter and leave; the function returns what it declares.
// RUN: mpc-opt %s --split-input-file --mpc-autocast=precision=fp16 --mpc-verify-autocast --mpc-fold-casts --cse | FileCheck %s
//
// No rounding of a constant out of range, and a warning.
// RUN: mpc-opt %s --split-input-file --mpc-autocast=precision=fp16 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: warning: constant 500000 overflows f16: it stays f32, and so does graph.add
//
// convert_sig: parameters become f16 arguments of their names.
// RUN: mpc-opt %s --split-input-file --compile-to=update --precision=fp16 --inference 2>/dev/null | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE-LABEL: func.func @conv2d(
// SIGNATURE-SAME: tensor<4x3x3x3xf16> {graph.state = #graph.state<"w.f16" weight_copy of "w">}

// conv2d: both inputs are cast, and the result back to what is declared.
// CHECK-LABEL: func.func @conv2d(
// CHECK-NEXT: %[[X:.*]] = graph.cast %{{.*}} : (tensor<2x3x9x9xf32>) -> tensor<2x3x9x9xf16>
// CHECK-NEXT: %[[W:.*]] = graph.cast %{{.*}} : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf16>
// CHECK-NEXT: %[[Y:.*]] = graph.convolution %[[X]], %[[W]] : (tensor<2x3x9x9xf16>, tensor<4x3x3x3xf16>) -> tensor<2x4x7x7xf16>
// CHECK-NEXT: %[[R:.*]] = graph.cast %[[Y]] because "return: result #0 is declared f32"
// CHECK-NEXT: return %[[R]]
func.func @conv2d(%x: tensor<2x3x9x9xf32> {graph.input = "x"}, %w: tensor<4x3x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x7x7xf32> {graph.output = "y"}) {
  %0 = graph.convolution %x, %w : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  return %0 : tensor<2x4x7x7xf32>
}

// -----

// relu_conv2d_relu: the Clear ops around run in f16 too.
// CHECK-LABEL: func.func @relu_conv2d_relu(
// CHECK-NOT: graph.relu {{.*}}xf32>
// CHECK: graph.relu {{.*}}: tensor<2x3x9x9xf16>
// CHECK: graph.convolution
// CHECK-NEXT: graph.relu {{.*}}: tensor<2x4x7x7xf16>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @relu_conv2d_relu(%x: tensor<2x3x9x9xf32> {graph.input = "x"}, %w: tensor<4x3x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x7x7xf32> {graph.output = "y"}) {
  %0 = graph.relu %x : tensor<2x3x9x9xf32>
  %1 = graph.convolution %0, %w : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  %2 = graph.relu %1 : tensor<2x4x7x7xf32>
  return %2 : tensor<2x4x7x7xf32>
}

// -----

// conv2d_relu_conv2d: no cast between the convolutions.
// CHECK-LABEL: func.func @conv2d_relu_conv2d(
// CHECK: graph.convolution
// CHECK-NEXT: graph.relu {{.*}}: tensor<2x4x9x9xf16>
// CHECK-NEXT: graph.convolution
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @conv2d_relu_conv2d(%x: tensor<2x4x9x9xf32> {graph.input = "x"}, %w: tensor<4x4x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x9x9xf32> {graph.output = "y"}) {
  %0 = graph.convolution %x, %w low = [1, 1] high = [1, 1] : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x9x9xf32>
  %1 = graph.relu %0 : tensor<2x4x9x9xf32>
  %2 = graph.convolution %1, %w low = [1, 1] high = [1, 1] : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x9x9xf32>
  return %2 : tensor<2x4x9x9xf32>
}

// -----

// gemm_add_silu: bias, sigmoid and product follow.
// CHECK-LABEL: func.func @gemm_add_silu(
// CHECK: graph.matmul
// CHECK-NEXT: graph.add {{.*}} -> tensor<32x16xf16>
// CHECK-NEXT: graph.sigmoid {{.*}}: tensor<32x16xf16>
// CHECK-NEXT: graph.mul {{.*}} -> tensor<32x16xf16>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @gemm_add_silu(%x: tensor<32x64xf32> {graph.input = "x"}, %w: tensor<64x16xf32> {graph.init = #graph.zeros, graph.parameter = "w"}, %b: tensor<16xf32> {graph.init = #graph.zeros, graph.parameter = "b"}) -> (tensor<32x16xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  %1 = graph.add %0, %b : (tensor<32x16xf32>, tensor<16xf32>) -> tensor<32x16xf32>
  %2 = graph.sigmoid %1 : tensor<32x16xf32>
  %3 = graph.mul %1, %2 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  return %3 : tensor<32x16xf32>
}

// -----

// tuple: several results, each as declared; a shared input is cast once.
// CHECK-LABEL: func.func @tuple(
// CHECK-COUNT-3: graph.cast {{.*}}because "allow: convolution runs in f16"
// CHECK: graph.convolution
// CHECK: graph.cast {{.*}}because "return: result #0 is declared f32"
// CHECK: graph.convolution
// CHECK: graph.cast {{.*}}because "return: result #1 is declared f32"
// CHECK-NOT: graph.cast
// CHECK: return %
func.func @tuple(%x: tensor<2x3x9x9xf32> {graph.input = "x"}, %w: tensor<4x3x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}, %v: tensor<4x3x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "v"})
    -> (tensor<2x4x7x7xf32> {graph.output = "y"}, tensor<2x4x7x7xf32> {graph.output = "z"}) {
  %0 = graph.convolution %x, %w : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  %1 = graph.convolution %x, %v : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  return %0, %1 : tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>
}

// -----

// concat_matmul: the concat moves to f16.
// CHECK-LABEL: func.func @concat_matmul(
// CHECK: graph.concat {{.*}} -> tensor<32x64xf16>
// CHECK: graph.matmul
func.func @concat_matmul(%x: tensor<32x32xf32> {graph.input = "x"}, %y: tensor<32x32xf32> {graph.input = "y"}, %w: tensor<64x16xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<32x16xf32> {graph.output = "z"}) {
  %0 = graph.concat %x, %y dim = 1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x64xf32>
  %1 = graph.matmul %0, %w : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %1 : tensor<32x16xf32>
}

// -----

// conv2d_softmax between two convolutions: TVM casts up and down; our softmax takes
// and gives f16 and computes in f32, so no cast is left.
// CHECK-LABEL: func.func @conv2d_softmax_conv2d(
// CHECK: graph.convolution
// CHECK-NEXT: graph.softmax {{.*}} : (tensor<2x4x9x9xf16>) -> tensor<2x4x9x9xf16>
// CHECK-NEXT: graph.convolution
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @conv2d_softmax_conv2d(%x: tensor<2x4x9x9xf32> {graph.input = "x"}, %w: tensor<4x4x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x9x9xf32> {graph.output = "y"}) {
  %0 = graph.convolution %x, %w low = [1, 1] high = [1, 1] : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x9x9xf32>
  %1 = graph.softmax %0 dim = 1 : (tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %2 = graph.convolution %1, %w low = [1, 1] high = [1, 1] : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x9x9xf32>
  return %2 : tensor<2x4x9x9xf32>
}

// -----

// An op that must be f32 (exp) between two convolutions: exactly one cast up and
// one down.
// CHECK-LABEL: func.func @conv2d_exp_conv2d(
// CHECK: graph.convolution
// CHECK-NEXT: graph.cast {{.*}} : (tensor<2x4x9x9xf16>) -> tensor<2x4x9x9xf32>
// CHECK-NEXT: graph.exp {{.*}}: tensor<2x4x9x9xf32>
// CHECK-NEXT: graph.cast {{.*}} : (tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf16>
// CHECK-NEXT: graph.convolution
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @conv2d_exp_conv2d(%x: tensor<2x4x9x9xf32> {graph.input = "x"}, %w: tensor<4x4x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x9x9xf32> {graph.output = "y"}) {
  %0 = graph.convolution %x, %w low = [1, 1] high = [1, 1] : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x9x9xf32>
  %1 = graph.exp %0 : tensor<2x4x9x9xf32>
  %2 = graph.convolution %1, %w low = [1, 1] high = [1, 1] : (tensor<2x4x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x9x9xf32>
  return %2 : tensor<2x4x9x9xf32>
}

// -----

// conv2d_bias: a constant bias in range is read in f16.
// CHECK-LABEL: func.func @bias_constant(
// CHECK: graph.add {{.*}} -> tensor<2x4x7x7xf16>
func.func @bias_constant(%x: tensor<2x3x9x9xf32> {graph.input = "x"}, %w: tensor<4x3x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x7x7xf32> {graph.output = "y"}) {
  %c = graph.constant dense<0.5> : tensor<4x1x1xf32>
  %0 = graph.convolution %x, %w : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  %1 = graph.add %0, %c : (tensor<2x4x7x7xf32>, tensor<4x1x1xf32>) -> tensor<2x4x7x7xf32>
  return %1 : tensor<2x4x7x7xf32>
}

// -----

// conv2d_bias_fp32: a constant bias out of range stays f32, with its reader.
// CHECK-LABEL: func.func @bias_out_of_range(
// CHECK: graph.constant dense<5.000000e+05> : tensor<4x1x1xf32>
// CHECK: graph.add {{.*}} -> tensor<2x4x7x7xf32>
func.func @bias_out_of_range(%x: tensor<2x3x9x9xf32> {graph.input = "x"}, %w: tensor<4x3x3x3xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2x4x7x7xf32> {graph.output = "y"}) {
  %c = graph.constant dense<5.0e5> : tensor<4x1x1xf32>
  %0 = graph.convolution %x, %w : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  %1 = graph.add %0, %c : (tensor<2x4x7x7xf32>, tensor<4x1x1xf32>) -> tensor<2x4x7x7xf32>
  return %1 : tensor<2x4x7x7xf32>
}

// -----

// call_tir with fp16 arguments: what is f16 already is untouched.
// CHECK-LABEL: func.func @already_f16(
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x16xf16>
// CHECK-NEXT: graph.relu {{.*}}: tensor<32x16xf16>
// CHECK-NEXT: return %
func.func @already_f16(%x: tensor<32x64xf16> {graph.input = "x"}, %w: tensor<64x16xf16> {graph.input = "w"}) -> (tensor<32x16xf16> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<32x64xf16>, tensor<64x16xf16>) -> tensor<32x16xf16>
  %1 = graph.relu %0 : tensor<32x16xf16>
  return %1 : tensor<32x16xf16>
}

// -----

// A type that the policy does not know is not rewritten: f64, integers.
// CHECK-LABEL: func.func @other_types(
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x16xf64>
// CHECK-NEXT: graph.add {{.*}} -> tensor<32xi32>
// CHECK-NEXT: return %
func.func @other_types(%x: tensor<32x64xf64> {graph.input = "x"}, %w: tensor<64x16xf64> {graph.init = #graph.zeros, graph.parameter = "w"}, %i: tensor<32xi32> {graph.input = "i"}) -> (tensor<32x16xf64> {graph.output = "y"}, tensor<32xi32> {graph.output = "j"}) {
  %0 = graph.matmul %x, %w : (tensor<32x64xf64>, tensor<64x16xf64>) -> tensor<32x16xf64>
  %1 = graph.add %i, %i : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  return %0, %1 : tensor<32x16xf64>, tensor<32xi32>
}
