// Rules by region, by operand, and by several things together. The last that
// matches wins; each cast names its rule.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 policy=region:outer=Deny" --mpc-verify-autocast | FileCheck %s --check-prefix=OUTER
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 policy=region:outer/inner=Deny" --mpc-verify-autocast | FileCheck %s --check-prefix=INNER
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 policy=graph.matmul;operand:1=Deny,graph.matmul;region:.*inner=Allow" --mpc-verify-autocast | FileCheck %s --check-prefix=OPERAND
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 mode=torch policy=graph.matmul@last;operand:0=Deny" --mpc-verify-autocast | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 policy=graph.matmul=Allow" --mpc-verify-autocast | FileCheck %s --check-prefix=OFF
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 policy=region:off=Allow" --mpc-verify-autocast | FileCheck %s --check-prefix=NAMED
// RUN: echo '{"$schema": "../docs/policy.schema.json", "version": 1, "rules": [{"region": "outer", "op": "graph.matmul", "loc": "first", "policy": "Deny"}]}' > %t.json
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 policy-file=%t.json" --mpc-verify-autocast | FileCheck %s --check-prefix=FILE

// One name of a path is enough: both regions.
// OUTER: graph.matmul {{.*}}name = "outer">} : (tensor<8x8xf32>, tensor<8x8xf32>)
// OUTER: graph.matmul {{.*}}name = "outer/inner">} : (tensor<8x8xf32>, tensor<8x8xf32>)
// OUTER: graph.matmul {{.*}} -> tensor<8x8xf16>

// INNER: graph.matmul {{.*}}name = "outer">} : (tensor<8x8xf16>, tensor<8x8xf16>)
// INNER: graph.cast %{{.*}} because "deny: matmul runs in f32 (rule 'region:outer/inner=Deny')"
// INNER: graph.matmul {{.*}}name = "outer/inner">} : (tensor<8x8xf32>, tensor<8x8xf32>)
// INNER: graph.matmul {{.*}} -> tensor<8x8xf16>

// A rule for an operand of matmul decides for both, since they have one type.
// OPERAND: policy = ["graph.matmul;operand:1=Deny", "graph.matmul;region:.*inner=Allow"]
// OPERAND: graph.matmul {{.*}}name = "outer">} : (tensor<8x8xf32>, tensor<8x8xf32>)
// OPERAND: graph.matmul {{.*}}name = "outer/inner">} : (tensor<8x8xf16>, tensor<8x8xf16>)
// OPERAND: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
// OPERAND: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)

// TORCH: graph.cast %{{.*}} because "fp32: matmul runs in f32 (rule 'graph.matmul@last;operand:0=Deny')"
// TORCH: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
// TORCH: return

// Rules do not reach into a region that is off, unless they name it.
// OFF: graph.matmul {{.*}}name = "outer">} : (tensor<8x8xf16>, tensor<8x8xf16>)
// OFF: graph.matmul {{.*}}name = "off", enabled = false>} : (tensor<8x8xf32>, tensor<8x8xf32>)
// NAMED: graph.matmul {{.*}}name = "off", enabled = false>} : (tensor<8x8xf16>, tensor<8x8xf16>)

// FILE: policy = ["graph.matmul@first;region:outer=Deny"]
// FILE: graph.matmul {{.*}}name = "outer">} : (tensor<8x8xf32>, tensor<8x8xf32>)
// FILE: graph.matmul {{.*}}name = "outer/inner">} : (tensor<8x8xf16>, tensor<8x8xf16>)
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.autocast_region <name = "outer"> -> tensor<8x8xf32> {
    %1 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("first")
    %2 = graph.autocast_region <name = "inner"> -> tensor<8x8xf32> {
      %3 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      graph.yield %3 : tensor<8x8xf32>
    }
    graph.yield %2 : tensor<8x8xf32>
  }
  %4 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = graph.matmul %4, %4 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("last")
  %6 = graph.autocast_region <name = "off", enabled = false> -> tensor<8x8xf32> {
    %7 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %7 : tensor<8x8xf32>
  }
  return %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>
}
