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

func.func @tf_deny(%x: tensor<8xf32>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "tf", precision = "fp16"}} {
  // expected-note @below {{cast here because infer: somebody}}
  %0 = graph.cast %x because "infer: somebody" : (tensor<8xf32>) -> tensor<8xf16>
  // expected-error @below {{expected autocast to leave it wide by policy deny, but operand #0 is cast to 'f16'}}
  %1 = graph.exp %0 : tensor<8xf16>
  return %1 : tensor<8xf16>
}

// -----

func.func @whole_normalization(%x: tensor<8x8xf32>) -> tensor<8x8xf16>
    attributes {graph.autocast = {mode = "whole", precision = "fp16", output = "f32", keep_normalization = "true"}} {
  // expected-note @below {{cast here because whole: somebody}}
  %0 = graph.cast %x because "whole: somebody" : (tensor<8x8xf32>) -> tensor<8x8xf16>
  // expected-error @below {{expected autocast to leave it wide by policy normalization, but operand #0 is cast to 'f16'}}
  %1 = graph.layer_norm %0 first_dim = 1 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
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

// -----

func.func private @body(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @operand_rule(%x: tensor<8xf16>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "cheapest", precision = "fp16", policy = ["graph.custom;operand:1=Deny"]}} {
  // expected-error @below {{expected operand #1 in f32 by rule 'graph.custom;operand:1=Deny', but got 'f16'}}
  %0 = graph.custom @body(%x, %x) policy = "Allow" : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

func.func @region_off(%x: tensor<8xf32>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "cheapest", precision = "fp16"}} {
  // expected-note @below {{cast here because allow: somebody}}
  %0 = graph.cast %x because "allow: somebody" : (tensor<8xf32>) -> tensor<8xf16>
  // expected-error @below {{expected autocast to leave it wide by policy off, but operand #0 is cast to 'f16'}}
  %1 = graph.relu %0 {graph.autocast_region = #graph.autocast_region<enabled = false>} : tensor<8xf16>
  return %1 : tensor<8xf16>
}

// -----

func.func @region_type(%x: tensor<8x8xf16>) -> tensor<8x8xf16>
    attributes {graph.autocast = {mode = "torch", precision = "fp16", lists = "cuda"}} {
  // expected-error @below {{expected float operands in 'bf16' by policy lower_precision_fp, but operand #0 is 'f16'}}
  %0 = graph.matmul %x, %x {graph.autocast_region = #graph.autocast_region<dtype = bf16>} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %0 : tensor<8x8xf16>
}

// -----

func.func private @body(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @cast_inputs(%x: tensor<8xf16>) -> tensor<8xf16>
    attributes {graph.autocast = {mode = "torch", precision = "fp16", lists = "cuda"}} {
  // expected-error @below {{expected float operands in 'f32' by policy cast_inputs, but operand #0 is 'f16'}}
  %0 = graph.custom @body(%x) cast_inputs = f32 : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
