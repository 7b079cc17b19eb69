// Overrides of policy words: by op name, by location, by both, from a file; the
// last rule that matches wins.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16 policy=graph.softmax=Deny" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=NAME
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16 policy=loc:.*head.*=Deny" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=LOC
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16 policy=loc:.*head.*=Deny,graph.matmul@model/head=Allow" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=BOTH
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16 policy=loc:.*overrides.mlir:[0-9]+:[0-9]+=Deny" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=FILELOC
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16 mode=torch policy=graph.add=Deny,graph.gelu=Allow" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=TORCH
// RUN: echo '{"version": 1, "rules": [{"op": "graph.matmul", "loc": "model/head", "policy": "Deny"}, {"op": "graph.gelu", "policy": "Deny"}]}' > %t.json
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16 policy-file=%t.json policy=graph.gelu=Clear" --mpc-verify-autocast 2>/dev/null | FileCheck %s --check-prefix=FILE

// NAME: policy = ["graph.softmax=Deny"]
// NAME: graph.cast %{{.*}} because "deny: softmax runs in f32 (rule 'graph.softmax=Deny')"
// NAME: graph.softmax %{{.*}} dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>

// LOC: graph.matmul {{.*}} -> tensor<8x8xf16>
// LOC: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>

// BOTH: policy = ["loc:.*head.*=Deny", "graph.matmul@model/head=Allow"]
// BOTH: graph.softmax %{{.*}} dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
// BOTH: graph.matmul {{.*}} -> tensor<8x8xf16>

// FILELOC: graph.matmul {{.*}} -> tensor<8x8xf32>
// FILELOC: graph.gelu %{{.*}} : tensor<8x8xf32>
// FILELOC: graph.matmul {{.*}} -> tensor<8x8xf16>

// TORCH: graph.cast %{{.*}} because "fp32: add runs in f32 (rule 'graph.add=Deny')"
// TORCH: graph.gelu %{{.*}} : tensor<8x8xf16>

// FILE: policy = ["graph.matmul@model/head=Deny", "graph.gelu=Deny", "graph.gelu=Clear"]
// FILE: graph.gelu %{{.*}} : tensor<8x8xf16>
// FILE: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.add %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.gelu %1 : tensor<8x8xf32>
  %3 = graph.softmax %2 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32> loc("model/head")
  %4 = graph.matmul %3, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("model/head")
  return %4 : tensor<8x8xf32>
}
