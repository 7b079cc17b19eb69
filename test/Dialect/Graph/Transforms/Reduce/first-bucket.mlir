// The first bucket of each type has a size of its own, so that the link is at
// work early: gradients of 16, 16, 16 and 4 bytes of f32 and of 8 and 8 of f16.
// RUN: mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=16" --mpc-verify-reduce | FileCheck %s --check-prefix=SMALL
// RUN: mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=16 bucket-bytes=20" --mpc-verify-reduce | FileCheck %s --check-prefix=BOTH
//
// It may be the larger one; a gradient that is larger than it travels alone; and 0
// is the size of all others.
// RUN: mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=32 bucket-bytes=16" | FileCheck %s --check-prefix=LARGE
// RUN: mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=1" | FileCheck %s --check-prefix=ALONE
// RUN: mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=0" | FileCheck %s --check-prefix=NONE
//
// A link says how buckets are cut, so it is one or the other.
// RUN: not mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=16 link-bandwidth=1" 2>&1 | FileCheck %s --check-prefix=LINK
// RUN: not mpc-opt %s --mpc-insert-all-reduce="first-bucket-bytes=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// LINK: error: expected first-bucket-bytes or link-bandwidth, by which buckets are cut, but got both
// NEGATIVE: error: expected first-bucket-bytes from 0 to 4398046511104, but got -1
//
// SMALL-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>)
// SMALL-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>)
// SMALL-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf16>, tensor<4xf16>)
// BOTH-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>)
// BOTH-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>)
// BOTH-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>, tensor<1xf32>)
// BOTH-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf16>, tensor<4xf16>)
// LARGE-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>, tensor<4xf32>)
// LARGE-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>)
// LARGE-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<1xf32>)
// LARGE-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf16>, tensor<4xf16>)
// ALONE-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>)
// ALONE-DAG: graph.all_reduce <average> %{{.*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>)
// ALONE-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf16>)
// ALONE-DAG: graph.all_reduce <average> %{{[^,]*}} group = "data" bucket = {{[0-9]}} : (tensor<4xf16>)
// NONE-COUNT-2: graph.all_reduce
// NONE-NOT: graph.all_reduce
func.func @step(%x: tensor<4xf32> {graph.input = "x"}, %y: tensor<1xf32> {graph.input = "y"}, %z: tensor<4xf16> {graph.input = "z"})
    -> (tensor<4xf32> {graph.gradient = "a"}, tensor<4xf32> {graph.gradient = "b"}, tensor<4xf32> {graph.gradient = "c"},
        tensor<1xf32> {graph.gradient = "d"}, tensor<4xf16> {graph.gradient = "e"}, tensor<4xf16> {graph.gradient = "f"})
    attributes {graph.entry = "step"} {
  %a = graph.neg %x : tensor<4xf32>
  %e = graph.neg %z : tensor<4xf16>
  %b = graph.neg %a : tensor<4xf32>
  %f = graph.neg %e : tensor<4xf16>
  %c = graph.neg %b : tensor<4xf32>
  %d = graph.neg %y : tensor<1xf32>
  return %a, %b, %c, %d, %e, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<4xf16>, tensor<4xf16>
}
