// Custom ops with each word, put in place after autocast.
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast=precision=fp16 --mpc-inline-custom --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast=precision=fp16 | FileCheck %s --check-prefix=CALL

// Allow: 16 bits in and out, and inside each op in the type of its operands;
// where f16 and f32 meet, f32.
// CHECK-LABEL: func.func @allow
// CHECK-NOT: @body
// CHECK: %[[X:.*]] = graph.cast %{{.*}} because "allow: custom runs in f16"
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[X]] {graph.autocast_region = #graph.autocast_region<name = "@body", enabled = false>} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: %[[E:.*]] = graph.exp %[[P]] {{.*}} : tensor<8x8xf16>
// CHECK: %[[W:.*]] = graph.cast %[[E]] because "custom: body: mul runs in the type in which its operands meet" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: %[[M:.*]] = graph.mul %[[W]], %{{.*}} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
// CHECK: graph.cast %[[M]] because "custom: body returns the type that autocast gave the call" : (tensor<8x8xf32>) -> tensor<8x8xf16>
// CALL: graph.custom @body(%{{.*}}) policy = "Allow" : (tensor<8x8xf16>) -> tensor<8x8xf16>
func.func private @body(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.exp %0 : tensor<8x8xf32>
  %2 = graph.mul %1, %c : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func @allow(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.custom @body(%x) policy = "Allow" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Deny: f32 around and inside. DenyIO between two products: 16 bits around it,
// f32 inside.
// CHECK-LABEL: func.func @deny
// CHECK: %[[A:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: %[[UP:.*]] = graph.cast %[[A]] because "deny: custom runs in f32"
// CHECK: %[[T:.*]] = graph.tanh %[[UP]] {{.*}} : tensor<8x8xf32>
// CHECK: %[[DOWN:.*]] = graph.cast %[[T]] because "allow: matmul runs in f16"
// CHECK: %[[B:.*]] = graph.matmul %[[DOWN]], %[[DOWN]]
// CHECK: %[[IN:.*]] = graph.cast %[[B]] because "custom: body computes in f32"
// CHECK: %[[T2:.*]] = graph.tanh %[[IN]] {{.*}} : tensor<8x8xf32>
// CHECK: %[[OUT:.*]] = graph.cast %[[T2]] because "custom: body returns the type that autocast gave the call"
// CHECK: graph.matmul %[[OUT]], %[[OUT]]
// CALL-LABEL: func.func @deny
// CALL: graph.custom @body(%{{.*}}) policy = "Deny" : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CALL: graph.custom @body(%{{.*}}) policy = "DenyIO" : (tensor<8x8xf16>) -> tensor<8x8xf16>
func.func private @body(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.tanh %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @deny(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.custom @body(%0) policy = "Deny" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.custom @body(%2) policy = "DenyIO" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// Infer, Promote and Clear follow their neighbours; between two products that
// is f16.
// CHECK-LABEL: func.func @follow
// CHECK-COUNT-3: graph.tanh %{{.*}} {{.*}} : tensor<8x8xf16>
func.func private @body(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.tanh %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @follow(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.custom @body(%0) policy = "Infer" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.custom @body(%1) policy = "Promote" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.custom @body(%2) policy = "Clear" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// An operand of its own by a rule; calls in calls; integers pass.
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="precision=fp16 policy=graph.custom@ruled;operand:1=Deny" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=RULE
// RULE-LABEL: func.func @operand
// RULE: graph.custom @outer({{.*}}) policy = "Allow" : (tensor<8x8xf16>, tensor<8x8xf32>, tensor<8xi32>) -> (tensor<8x8xf16>, tensor<8xi32>)
// CHECK-LABEL: func.func @operand
// CHECK: graph.matmul {{.*}}name = "@outer", enabled = false>} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: graph.tanh %{{.*}} {graph.autocast_region = #graph.autocast_region<name = "@outer/@inner", enabled = false>} : tensor<8x8xf16>
func.func private @inner(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.tanh %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @outer(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %i: tensor<8xi32>) -> (tensor<8x8xf32>, tensor<8xi32>) {
  %0 = graph.matmul %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.custom @inner(%0) policy = "Deny" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %i : tensor<8x8xf32>, tensor<8xi32>
}
func.func @operand(%x: tensor<8x8xf32> {graph.input = "x"}, %i: tensor<8xi32> {graph.input = "i"}) -> (tensor<8x8xf32>, tensor<8xi32>) {
  %0:2 = graph.custom @outer(%x, %x, %i) policy = "Allow" : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xi32>) -> (tensor<8x8xf32>, tensor<8xi32>) loc("ruled")
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8xi32>
}
