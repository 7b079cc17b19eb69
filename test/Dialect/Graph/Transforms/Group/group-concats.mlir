// A concat of nothing but results of a library call belongs to the call, if its
// library can write each where it lies in the concat: the gradients of query,
// key and value, which are slices of one product.
// RUN: mpc-opt %s --mpc-group | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-group | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-group=print-decisions 2>&1 | FileCheck %s --check-prefix=DECISIONS

// DECISIONS: library group of 5 ops
// CHECK-LABEL: func.func @packed(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.group
// CHECK: %[[ALL:.*]] = graph.concat
// CHECK-NEXT: graph.yield %[[ALL]]
// CHECK: return
func.func @packed(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> tensor<2x16x384xf16> {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %3 = graph.concat %0, %1, %2 dim = 2 : (tensor<2x16x128xf16>, tensor<2x16x128xf16>, tensor<2x16x128xf16>) -> tensor<2x16x384xf16>
  return %3 : tensor<2x16x384xf16>
}

// Beside each other in a dim of their own, seen by others as rows.
// CHECK-LABEL: func.func @stacked(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.group
// CHECK: %[[ALL:.*]] = graph.concat
// CHECK-NEXT: graph.yield %[[ALL]]
// CHECK: graph.reshape
// CHECK-NOT: graph.group
// CHECK: return
func.func @stacked(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> tensor<32x384xf16> {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x1x2x64xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x1x2x64xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x1x2x64xf16>
  %3 = graph.concat %0, %1, %2 dim = 2 : (tensor<2x16x1x2x64xf16>, tensor<2x16x1x2x64xf16>, tensor<2x16x1x2x64xf16>) -> tensor<2x16x3x2x64xf16>
  %4 = graph.reshape %3 : (tensor<2x16x3x2x64xf16>) -> tensor<32x384xf16>
  return %4 : tensor<32x384xf16>
}

// Keys and values of one product, queries of another.
// CHECK-LABEL: func.func @two_of_three(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.group
// CHECK: %[[KV:.*]] = graph.concat
// CHECK: graph.yield
// CHECK-SAME: %[[KV]]
// CHECK-NOT: graph.group
// CHECK: return
func.func @two_of_three(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> (tensor<2x16x128xf16>, tensor<2x16x256xf16>) {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %3 = graph.concat %1, %2 dim = 2 : (tensor<2x16x128xf16>, tensor<2x16x128xf16>) -> tensor<2x16x256xf16>
  return %0, %3 : tensor<2x16x128xf16>, tensor<2x16x256xf16>
}

// Heads in front of times.
// CHECK-LABEL: func.func @heads_first(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.group
// CHECK: graph.transpose
// CHECK: graph.concat
// CHECK-NOT: graph.group
// CHECK: return
func.func @heads_first(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> tensor<2x6x16x64xf16> {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.transpose %dq permutation = [0, 2, 1, 3] : (tensor<2x16x2x64xf16>) -> tensor<2x2x16x64xf16>
  %1 = graph.transpose %dk permutation = [0, 2, 1, 3] : (tensor<2x16x2x64xf16>) -> tensor<2x2x16x64xf16>
  %2 = graph.transpose %dv permutation = [0, 2, 1, 3] : (tensor<2x16x2x64xf16>) -> tensor<2x2x16x64xf16>
  %3 = graph.concat %0, %1, %2 dim = 1 : (tensor<2x2x16x64xf16>, tensor<2x2x16x64xf16>, tensor<2x2x16x64xf16>) -> tensor<2x6x16x64xf16>
  return %3 : tensor<2x6x16x64xf16>
}

// On a device a part begins at a multiple of 256 bytes.
// CHECK-LABEL: func.func @misaligned(
// CPU: graph.group <library>
// CPU-NOT: graph.group
// CUDA: graph.group <library>
// CUDA: graph.group <move>
// CHECK: graph.concat
// CHECK: return
// DECISIONS: remark: not fused with 'graph.scaled_dot_product_attention_backward': the library does not write its results where they lie in that
func.func @misaligned(%q: tensor<2x16x3x32xf16>, %k: tensor<2x16x3x32xf16>, %v: tensor<2x16x3x32xf16>, %y: tensor<2x16x3x32xf16>, %l: tensor<2x3x16xf32>, %c: tensor<2x16x3x32xf16>) -> tensor<2x16x288xf16> {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x3x32xf16>, tensor<2x16x3x32xf16>, tensor<2x16x3x32xf16>, tensor<2x16x3x32xf16>, tensor<2x3x16xf32>, tensor<2x16x3x32xf16>) -> (tensor<2x16x3x32xf16>, tensor<2x16x3x32xf16>, tensor<2x16x3x32xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x3x32xf16>) -> tensor<2x16x96xf16>
  %1 = graph.reshape %dk : (tensor<2x16x3x32xf16>) -> tensor<2x16x96xf16>
  %2 = graph.reshape %dv : (tensor<2x16x3x32xf16>) -> tensor<2x16x96xf16>
  %3 = graph.concat %0, %1, %2 dim = 2 : (tensor<2x16x96xf16>, tensor<2x16x96xf16>, tensor<2x16x96xf16>) -> tensor<2x16x288xf16>
  return %3 : tensor<2x16x288xf16>
}

// Rows whose elements lie apart are written by no library.
// CHECK-LABEL: func.func @columns(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.concat
// CHECK: graph.yield
// CHECK: graph.concat
// CHECK: return
func.func @columns(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> tensor<2x48x64x2xf16> {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.transpose %dq permutation = [0, 1, 3, 2] : (tensor<2x16x2x64xf16>) -> tensor<2x16x64x2xf16>
  %1 = graph.transpose %dk permutation = [0, 1, 3, 2] : (tensor<2x16x2x64xf16>) -> tensor<2x16x64x2xf16>
  %2 = graph.transpose %dv permutation = [0, 1, 3, 2] : (tensor<2x16x2x64xf16>) -> tensor<2x16x64x2xf16>
  %3 = graph.concat %0, %1, %2 dim = 1 : (tensor<2x16x64x2xf16>, tensor<2x16x64x2xf16>, tensor<2x16x64x2xf16>) -> tensor<2x48x64x2xf16>
  return %3 : tensor<2x48x64x2xf16>
}

// What others read is a tensor of its own.
// CHECK-LABEL: func.func @also_read(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.concat
// CHECK: graph.yield
// CHECK: graph.group <move>
// CHECK: graph.concat
// CHECK: return
func.func @also_read(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> (tensor<2x16x384xf16>, tensor<2x16x128xf16>) {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %3 = graph.concat %0, %1, %2 dim = 2 : (tensor<2x16x128xf16>, tensor<2x16x128xf16>, tensor<2x16x128xf16>) -> tensor<2x16x384xf16>
  return %3, %1 : tensor<2x16x384xf16>, tensor<2x16x128xf16>
}

// Nobody but the call writes what the call writes parts of.
// CHECK-LABEL: func.func @beside_another(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.concat
// CHECK: graph.yield
// CHECK: graph.group <move>
// CHECK: graph.concat
// CHECK: return
func.func @beside_another(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>, %x: tensor<2x16x128xf16>) -> (tensor<2x16x384xf16>, tensor<2x16x128xf16>) {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %3 = graph.concat %0, %1, %x dim = 2 : (tensor<2x16x128xf16>, tensor<2x16x128xf16>, tensor<2x16x128xf16>) -> tensor<2x16x384xf16>
  return %3, %2 : tensor<2x16x384xf16>, tensor<2x16x128xf16>
}

// A pad leaves zeros beside them.
// CHECK-LABEL: func.func @padded(
// CHECK: graph.group <library>
// CHECK: graph.yield
// CHECK: graph.group <move>
// CHECK: graph.pad
// CHECK: return
func.func @padded(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> tensor<2x16x256xf16> {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %3 = graph.pad %0 low = [0, 0, 0] high = [0, 0, 128] : (tensor<2x16x128xf16>) -> tensor<2x16x256xf16>
  return %3 : tensor<2x16x256xf16>
}

// Where every op rounds, calls take nothing along.
// CHECK-LABEL: func.func @strict(
// CHECK: graph.group <library>
// CHECK: graph.scaled_dot_product_attention_backward
// CHECK-NOT: graph.concat
// CHECK: graph.yield
// CHECK: graph.group <move>
// CHECK: graph.concat
// CHECK: return
func.func @strict(%q: tensor<2x16x2x64xf16>, %k: tensor<2x16x2x64xf16>, %v: tensor<2x16x2x64xf16>, %y: tensor<2x16x2x64xf16>, %l: tensor<2x2x16xf32>, %c: tensor<2x16x2x64xf16>) -> tensor<2x16x384xf16>
    attributes {graph.training = #graph.training<precision = "fp16", rounding = "strict">} {
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %l cotangent %c causal : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
  %0 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %2 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %3 = graph.concat %0, %1, %2 dim = 2 : (tensor<2x16x128xf16>, tensor<2x16x128xf16>, tensor<2x16x128xf16>) -> tensor<2x16x384xf16>
  return %3 : tensor<2x16x384xf16>
}

// The result of attention may be a part as well.
// CHECK-LABEL: func.func @forward(
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.scaled_dot_product_attention
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.concat
// CHECK-NEXT: graph.yield
// CHECK: return
func.func @forward(%q: tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16> {
  %y, %l = graph.scaled_dot_product_attention %q, %q, %q : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x2x16xf32>)
  %0 = graph.reshape %y : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
  %1 = graph.concat %0 dim = 2 : (tensor<2x16x128xf16>) -> tensor<2x16x128xf16>
  return %1 : tensor<2x16x128xf16>
}
