// Which ops a range profile moves to f32, and what is wrong with one.
// RUN: split-file %s %t
// RUN: mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/p.json" 2>%t/told | FileCheck %t/m.mlir
// RUN: FileCheck %t/m.mlir --check-prefix=TOLD --input-file=%t/told
// RUN: mpc-opt %t/m.mlir --mpc-autocast="precision=bf16 precision-profile=%t/p.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=BF16
// RUN: mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/p.json profile-overflow=0.5" 2>&1 | FileCheck %t/m.mlir --check-prefix=HALF
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/p.json profile-flush=7" 2>&1 | FileCheck %t/m.mlir --check-prefix=SHARE
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/text.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=TEXT
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/version.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=VERSION
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/value.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=VALUE
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/list.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=LIST
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/text-value.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=OBJECT
// RUN: not mpc-opt %t/m.mlir --mpc-autocast="precision=fp16 precision-profile=%t/format.json" 2>&1 | FileCheck %t/m.mlir --check-prefix=FORMAT
// RUN: mpc-opt %t/n.mlir --mpc-autocast="precision=fp16 precision-profile=%t/n.json" 2>&1 | FileCheck %t/n.mlir

//--- n.mlir
// An op that no rule can name.
// CHECK: warning: expected a location, by which a rule can name the op: its result becomes zero in f16 in 50 % of its elements (smallest 1e-09), but it may run in f16
func.func @n(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<4x8xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc(unknown)
  return %0 : tensor<4x8xf32>
}
//--- n.json
{"version": 1, "values": [{"name": "matmul@?", "op": "graph.matmul", "backward": false, "largest": 1.0, "smallest": 1e-9,
   "formats": {"f16": {"overflow": 0, "flush": 0.5}}}]}
//--- list.json
{"version": 1, "values": {}}
//--- text-value.json
{"version": 1, "values": ["x"]}
//--- format.json
{"version": 1, "values": [{"name": "x", "op": "input", "backward": false, "largest": 1.0, "smallest": 1.0, "formats": {"f16": 1}}]}
//--- m.mlir
// The first product overflows; what reads it, too, has to run in f32. The
// second is fine.
// CHECK: graph.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: graph.relu {{.*}} : tensor<4x8xf32>
// CHECK: graph.matmul {{.*}} -> tensor<4x2xf16>
// TOLD: m.mlir:1:1: remark: 'graph.matmul' runs in f32: its result overflows f16 in 25 % of its elements (largest 1e+05)
// TOLD: m.mlir:2:1: remark: 'graph.relu' runs in f32: it reads a value that overflows f16 in 25 % of its elements
// TOLD-NOT: runs in f32
// TOLD: warning: range profile '{{.*}}p.json': no value of the model is called 'exp@m.mlir:9:9'; profile it again
// TOLD: remark: 1 values of the backward leave the range of f16: their range is moved by the loss scale, and no op is
// BF16-NOT: runs in f32
// HALF-NOT: runs in f32
// SHARE: error: option 'profile-flush': expected a share from 0 to 1, but got '7'
// TEXT: error: range profile '{{.*}}text.json': is not JSON
// VERSION: error: range profile '{{.*}}version.json': expected an object with 'version' 1, as mpc-run profile writes it
// LIST: error: range profile '{{.*}}list.json': expected 'values' to be an array
// OBJECT: error: range profile '{{.*}}text-value.json': expected each value to be an object
// FORMAT: error: range profile '{{.*}}format.json': expected 'overflow' and 'flush' in each format of 'x'
// VALUE: error: range profile '{{.*}}value.json': expected 'name', 'op', 'backward', 'largest', 'smallest' and 'formats' in each value
func.func @m(%x: tensor<4x8xf32> {graph.input = "x"},
             %w: tensor<8x8xf32> {graph.parameter = "w"}, %v: tensor<8x2xf32> {graph.parameter = "v"})
    -> (tensor<4x2xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("m.mlir":1:1)
  %1 = graph.relu %0 : tensor<4x8xf32> loc("m.mlir":2:1)
  %y = graph.matmul %1, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc("m.mlir":3:1)
  return %y : tensor<4x2xf32>
}
//--- p.json
{"version": 1, "model": "m", "steps": 1, "loss_scale": null, "values": [
  {"name": "x", "op": "input", "backward": false, "largest": 2.0, "smallest": 1.0,
   "formats": {"f16": {"overflow": 0, "flush": 0.05}, "bf16": {"overflow": 0, "flush": 0}}},
  {"name": "matmul@m.mlir:1:1", "op": "graph.matmul", "backward": false, "largest": 100000.0, "smallest": 1.0,
   "formats": {"f16": {"overflow": 0.25, "flush": 0}, "bf16": {"overflow": 0, "flush": 0}}},
  {"name": "relu@m.mlir:2:1", "op": "graph.relu", "backward": false, "largest": 1000.0, "smallest": 1.0,
   "formats": {"f16": {"overflow": 0, "flush": 0}, "bf16": {"overflow": 0, "flush": 0}}},
  {"name": "cast@m.mlir:3:1", "op": "graph.cast (allow: matmul runs in f16)", "backward": false, "largest": 1e9, "smallest": 1.0,
   "formats": {"f16": {"overflow": 1, "flush": 0}}},
  {"name": "exp@m.mlir:9:9", "op": "graph.exp", "backward": false, "largest": 1.0, "smallest": 1.0,
   "formats": {"f16": {"overflow": 0, "flush": 0}}},
  {"name": "matmul@m.mlir:3:1'", "op": "graph.matmul", "backward": true, "largest": 1.0, "smallest": 1e-9,
   "formats": {"f16": {"overflow": 0, "flush": 0.9}, "bf16": {"overflow": 0, "flush": 0}}}
]}
//--- text.json
{
//--- version.json
{"version": 2, "values": []}
//--- value.json
{"version": 1, "values": [{"name": "x"}]}
