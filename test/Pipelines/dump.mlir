// One numbered file per pass that changed something; gates never do, and files
// of an earlier run go.
// RUN: rm -rf %t && mkdir -p %t && touch %t/99-group-old.mlir %t/notes.txt
// RUN: mpc-opt %s --compile-to=reduce --dump-dir=%t -o %t.out
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// FILES: 01-import-mpc-apply-options.mlir
// FILES-NEXT: 02-autocast-mpc-autocast.mlir
// FILES-NEXT: 03-autodiff-mpc-differentiate.mlir
// FILES-NEXT: 04-reduce-mpc-insert-all-reduce.mlir
// FILES-NEXT: notes.txt
// FILES-NOT: {{.}}
//
// A dump is the module after the pass, large constants elided.
// RUN: FileCheck %s --check-prefix=FIRST < %t/01-import-mpc-apply-options.mlir
// FIRST: graph.training = #graph.training<
// FIRST: graph.constant dense_resource<__elided__>
// FIRST-NOT: graph.all_reduce
// RUN: FileCheck %s --check-prefix=LAST < %t/04-reduce-mpc-insert-all-reduce.mlir
// LAST: graph.all_reduce
//
// The environment does the same; the option wins over it.
// RUN: rm -rf %t.env && env MPC_DUMP=%t.env mpc-opt %s --compile-to=import -o %t.out
// RUN: ls %t.env | FileCheck %s --check-prefix=ENV
// ENV: 01-import-mpc-apply-options.mlir
// RUN: rm -rf %t.env %t && env MPC_DUMP=%t.env mpc-opt %s --compile-to=import --dump-dir=%t -o %t.out
// RUN: ls %t | FileCheck %s --check-prefix=ENV
// RUN: not ls %t.env
//
// Passes given one by one are dumped too.
// RUN: rm -rf %t && mpc-opt %s --mpc-differentiate --canonicalize --cse --dump-dir=%t -o %t.out
// RUN: ls %t | FileCheck %s --check-prefix=SINGLE
// SINGLE: 01-autodiff-mpc-differentiate.mlir
//
// RUN: touch %t.file
// RUN: not mpc-opt %s --compile-to=import --dump-dir=%t.file/x 2>&1 | FileCheck %s --check-prefix=NODIR
// NODIR: mpc-opt: error: cannot create dump directory '{{.*}}.file/x': Not a directory
// RUN: rm -rf %t && mkdir -p %t/01-import-old.mlir/kept
// RUN: not mpc-opt %s --compile-to=import --dump-dir=%t 2>&1 | FileCheck %s --check-prefix=STUCK
// STUCK: mpc-opt: error: cannot remove the old dump '{{.*}}01-import-old.mlir': Directory not empty
func.func @m(%w: tensor<20xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]> : tensor<20xf32>
  %0 = graph.mul %c, %w : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<20xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
