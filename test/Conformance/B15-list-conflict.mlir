// B15, an op in two lists: TensorFlow returns an error and the graph unchanged.
// RUN: not mpc-opt %s --mpc-autocast="mode=tf precision=fp16 policy=graph.exp=Allow,graph.exp=Deny" 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: error: expected each op in one list in mode tf, but policy rules 'graph.exp=Allow' and 'graph.exp=Deny' put the same ops in two: remove one
// A rule moves its ops from the list that their record says, as ADD and REMOVE
// of TensorFlow's environment do together; a rule for some of them is narrower.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16 policy=graph.exp=Allow,graph.exp@head=Deny" --mpc-verify-autocast | FileCheck %s
// CHECK: graph.exp %{{.*}} : tensor<8xf16>
// CHECK: graph.exp %{{.*}} : tensor<8xf32>
// In the other modes the last rule wins.
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 policy=graph.exp=Allow,graph.exp=Deny" | FileCheck %s --check-prefix=LAST
// LAST-NOT: graph.exp {{.*}}f16
func.func @model(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.exp %x : tensor<8xf32>
  %1 = graph.exp %0 : tensor<8xf32> loc("head")
  %2 = graph.relu %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
