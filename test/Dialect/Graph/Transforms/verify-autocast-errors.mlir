// Each violation that the gate of stage autocast finds.
// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-verify-autocast

func.func @deny_operand(%x: tensor<8xf32>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "cheapest", precision = "fp16"}} {
  // expected-note @below {{cast here because infer: somebody}}
  %0 = graph.cast %x because "infer: somebody" : (tensor<8xf32>) -> tensor<8xf16>
  // expected-error @below {{expected float operands in 'f32' by policy Deny, but operand #0 is 'f16'}}
  %1 = graph.exp %0 : tensor<8xf16>
  return %1 : tensor<8xf16>
}

// -----

func.func @deny_by_rule(%x: tensor<8xf16>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "cheapest", precision = "fp16", policy = ["graph.relu=Deny"]}} {
  // expected-error @below {{expected float operands in 'f32' by policy Deny, but operand #0 is 'f16'}}
  %0 = graph.relu %x : tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

func.func @deny_result(%x: tensor<8xf32>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "cheapest", precision = "fp16", policy = ["graph.softmax=Deny"]}} {
  // expected-error @below {{expected f32 results by policy Deny, but result #0 is 'f16'}}
  %0 = graph.softmax %x dim = 0 dtype = f16 : (tensor<8xf32>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

func.func @torch_allow(%x: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {graph.autocast = {mode = "torch", precision = "bf16"}} {
  // expected-error @below {{expected float operands in 'bf16' by policy lower_precision_fp, but operand #0 is 'f32'}}
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @reason(%x: tensor<8xf32>) -> tensor<8xf16> {
  // expected-error @below {{expected a reason after 'because'}}
  %0 = graph.cast %x because " " : (tensor<8xf32>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

func.func @f64(%x: tensor<8xf64>) -> tensor<8xf16> {
  // expected-error @below {{expected autocast to touch only f32, f16 and bf16, but got 'f64' to 'f16'}}
  %0 = graph.cast %x because "why" : (tensor<8xf64>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// expected-error @below {{expected parameter 'w' to be f32 or f64, the type of its master value, but got 'tensor<8xf16>'}}
func.func @master(%w: tensor<8xf16> {graph.parameter = "w"}) -> tensor<8xf16> {
  return %w : tensor<8xf16>
}

// -----

// expected-error @below {{graph.autocast: expected mode to be cheapest, torch, tf or whole, but got 'x'}}
func.func @record(%x: tensor<8xf32>) -> tensor<8xf32> attributes {graph.autocast = {mode = "x"}} {
  return %x : tensor<8xf32>
}
