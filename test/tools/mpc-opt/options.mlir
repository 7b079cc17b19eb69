// Help is short and begins with what is ours.
// RUN: mpc-opt --help | FileCheck %s --check-prefix=HELP
// HELP: mpc-opt model.mlir --compile-to=update --precision=fp16
// HELP: Compiler options:
// HELP: --compile-from=<stage>
// HELP: --compile-to=<stage>
// HELP: --dump-dir=<folder>
// HELP: --precision=<fp32|bf16|fp16>
// HELP: General options:
// HELP-NOT: --x86-
// HELP-NOT: --polly
// RUN: mpc-opt --help-hidden | FileCheck %s --check-prefix=HIDDEN
// HIDDEN: --mlir-print-ir-after-all
//
// Wrong command lines.
// RUN: not mpc-opt %s --compile-to=link 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: mpc-opt: error: unknown stage 'link' for option '--compile-to': expected one of import, autocast, autodiff, scale, accumulate, reduce, update, simplify, group, exec, program
// RUN: not mpc-opt %s --compile-from=link 2>&1 | FileCheck %s --check-prefix=FROM
// FROM: mpc-opt: error: unknown stage 'link' for option '--compile-from'
// RUN: not mpc-opt %s --compile-to=program 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: mpc-opt: error: stage 'program' is not IR: mpc-compile writes programs; the last stage here is 'exec'
// RUN: not mpc-opt %s --compile-from=update --compile-to=scale 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: mpc-opt: error: expected '--compile-to' after '--compile-from', but got 'scale' and 'update'
// RUN: not mpc-opt %s --precision=fp16 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: mpc-opt: error: option '--precision' needs '--compile-to'; a single pass takes its options as --pass="name=value"
// RUN: not mpc-opt %s --inference 2>&1 | FileCheck %s --check-prefix=INFER
// INFER: mpc-opt: error: option '--inference' needs '--compile-to'
// RUN: not mpc-opt %s --compile-to=import --drop-loss 2>&1 | FileCheck %s --check-prefix=DROP
// DROP: mpc-opt: error: option '--drop-loss' needs '--inference'
// RUN: not mpc-opt %s --compile-to=reduce --inference --reduce=sum 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: mpc-opt: error: expected option '--reduce' or '--inference', but got both
// RUN: not mpc-opt %s --compile-to=autocast --profile-flush=0.5 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: mpc-opt: error: option '--profile-flush' needs '--precision-profile'
// RUN: not mpc-opt %s --compile-to=import --inference --lr=1 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not mpc-opt %s --mpc-infer="lr=1" 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: option 'lr=1': expected a training step that changes state (a loss, a parameter that is not frozen, not inference alone, no probe) or a master of 16 bits, without which this has no effect
// RUN: not mpc-opt %s --compile-to=import --batch=0 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: mpc-opt: error: --batch=0: expected a whole number from 1 to 2^31 - 1
// RUN: not mpc-opt %s --compile-from=import --batch=2 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: mpc-opt: error: option '--batch' is for stage import, which '--compile-from' leaves out
// RUN: not mpc-opt %s --mpc-infer="batch=many" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expected a batch of 1 or more, but got -1
// RUN: not mpc-opt %s --mpc-no-such-pass 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: mpc-opt: Unknown command line argument '--mpc-no-such-pass'
// RUN: not mpc-opt %s --mpc-differentiate="no-such-option=1" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option no-such-option
//
// Wrong files.
// RUN: not mpc-opt %t.missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: mpc-opt: error: '{{.*}}.missing.mlir': cannot be opened: No such file or directory
// RUN: echo "func.func @f() { foo.bar }" > %t.dialect
// RUN: not mpc-opt %t.dialect 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: error: Dialect `foo' not found for custom op 'foo.bar'
// RUN: echo "func.func @f() { graph.no_such_op }" > %t.op
// RUN: not mpc-opt %t.op 2>&1 | FileCheck %s --check-prefix=OP
// OP: error: {{.*}}graph.no_such_op
// RUN: echo "func.func @f(" > %t.cut
// RUN: not mpc-opt %t.cut 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: expected
//
// A file that cannot be written; one that is there stays whole.
// RUN: not mpc-opt %s -o %t.no/such/folder 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: mpc-opt: error: cannot write '{{.*}}': No such file or directory
// RUN: not mpc-opt %s -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: mpc-opt: error: cannot write '/dev/full': No space left on device
// RUN: echo good > %t.good
// RUN: not mpc-opt %s --compile-to=update -o %t.good
// RUN: grep good %t.good
// Nobody can lay a trap where the temporary file would be.
// RUN: rm -rf %t.trap && mkdir %t.trap && ln -s %t.good %t.trap/out.tmp
// RUN: mpc-opt %s -o %t.trap/out && grep good %t.good && grep -c func.func %t.trap/out
// RUN: ls %t.trap | count 2
//
// Warnings are warnings, and with --werror errors.
// RUN: mpc-opt %s --compile-to=autodiff 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: warning: parameter 'v'
// RUN: not mpc-opt %s --compile-to=autodiff --werror 2>&1 | FileCheck %s --check-prefix=WERROR
// WERROR: error: parameter 'v'
// WERROR-NOT: graph.gradient
//
// A model that is wrong leaves nothing behind but its error: no reproducer beside
// the dumps, none among the temporary files, no second error about the pipeline.
// RUN: rm -rf %t.dump %t.tmp && mkdir %t.tmp
// RUN: not env TMPDIR=%t.tmp mpc-opt %s --compile-to=update --dump-dir=%t.dump 2>&1 | FileCheck %s --check-prefix=FAIL
// FAIL: error: expected an optimizer for the step
// FAIL-NOT: error
// FAIL-NOT: reproducer
// RUN: not ls %t.dump/reproducer.mlir
// RUN: not env TMPDIR=%t.tmp mpc-opt %s --compile-to=update
// RUN: ls -A %t.tmp | count 0
// Whoever asks for one gets it, and it fails the same way.
// RUN: not mpc-opt %s --compile-to=update --mlir-pass-pipeline-crash-reproducer=%t.reproducer.mlir
// RUN: not mpc-opt --run-reproducer %t.reproducer.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: expected an optimizer for the step
//
// Decisions with their places.
// RUN: mpc-opt %s --compile-to=autocast --precision=bf16 --remarks 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS: options.mlir:[[#]]:[[#]]: remark: [{{.*}}]
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.init = #graph.zeros, graph.parameter = "w"}, %v: tensor<f32> {graph.init = #graph.zeros, graph.parameter = "v"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.sum %0 dims = [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
