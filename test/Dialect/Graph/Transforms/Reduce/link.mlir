// Buckets for a link of 1 GB/s that begins after 0.004 microseconds: it could have
// moved 4 bytes meanwhile, so a bucket has 36 bytes at most, and what travels last
// 4. Gradients of 16, 16, 16, 4 and 4 bytes.
// RUN: mpc-opt %s --mpc-insert-all-reduce="link-latency=0.004 link-bandwidth=1" --mpc-verify-reduce | FileCheck %s
// RUN: mpc-opt %s --mpc-insert-all-reduce="link-latency=0.004 link-bandwidth=1" --remark-format=emitRemark --remarks-filter=mpc-insert-all-reduce 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
//
// bucket-bytes is the most in any case, and 1 byte the least.
// RUN: mpc-opt %s --mpc-insert-all-reduce="link-latency=0.004 link-bandwidth=1 bucket-bytes=20" | FileCheck %s --check-prefix=BOUND
// RUN: mpc-opt %s --mpc-insert-all-reduce="link-bandwidth=1" | FileCheck %s --check-prefix=EACH
// RUN: not mpc-opt %s --mpc-insert-all-reduce="link-bandwidth=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expected link_bandwidth >= 0 in the range of f32, but got -1.0
//
// CHECK: graph.all_reduce <average> %{{.*}}, %{{[^,]*}} group = "data" bucket = 0 : (tensor<4xf32>, tensor<4xf32>)
// CHECK: graph.all_reduce <average> %{{.*}}, %{{[^,]*}} group = "data" bucket = 1 : (tensor<4xf32>, tensor<1xf32>)
// CHECK: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = 2 : (tensor<1xf32>)
// CHECK-NOT: graph.all_reduce
// REMARK: buckets | Category:mpc-insert-all-reduce | buckets=3, bytes_per_step=56, largest_bytes=32, last_bytes=4, messages_per_step=3
// BOUND-COUNT-4: graph.all_reduce
// BOUND-NOT: graph.all_reduce
// EACH-COUNT-5: graph.all_reduce
// EACH-NOT: graph.all_reduce
func.func @step(%x: tensor<4xf32> {graph.input = "x"}, %y: tensor<1xf32> {graph.input = "y"})
    -> (tensor<4xf32> {graph.gradient = "a"}, tensor<4xf32> {graph.gradient = "b"}, tensor<4xf32> {graph.gradient = "c"},
        tensor<1xf32> {graph.gradient = "d"}, tensor<1xf32> {graph.gradient = "e"})
    attributes {graph.entry = "step"} {
  %a = graph.neg %x : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  %c = graph.neg %b : tensor<4xf32>
  %d = graph.neg %y : tensor<1xf32>
  %e = graph.neg %d : tensor<1xf32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>
}
