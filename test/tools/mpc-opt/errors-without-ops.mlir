// An error names its op; the op itself is printed where that is asked for.
// RUN: not mpc-opt %s 2>&1 | FileCheck %s --implicit-check-not="see current operation"
// RUN: not mpc-opt %s --mlir-print-op-on-diagnostic 2>&1 | FileCheck %s --check-prefix=PRINTED
// RUN: mpc-opt %S/explain.mlir --mlir-print-op-on-diagnostic=false -o /dev/null
// CHECK: error: {{.*}}unknown attribute 'graph.trainin', did you mean 'graph.training'?
// PRINTED: note: see current operation
func.func @misspelled() attributes {graph.trainin = 1} {
  return
}
