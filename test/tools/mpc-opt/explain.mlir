// The life of a value: its type through all stages, and the rule behind each
// change.
// RUN: mpc-opt %s --explain=%h | FileCheck %s --check-prefix=VALUE
// VALUE: %h = graph.add in @model, explain.mlir:[[#]]:8
// VALUE-NEXT: given @model: tensor<32x16xf32>
// VALUE-NEXT: import as before
// VALUE-NEXT: autocast @model: tensor<32x16xf16>
// VALUE-NEXT: cast to f32 because "deny: exp runs in f32"
// VALUE-NEXT: by mpc-autocast: operand #1 of graph.add from f32 to f16 because infer: add runs in f16 (fewest bytes)
// VALUE-NEXT: by mpc-autocast: Infer, f16, infer: add runs in f16 (fewest bytes)
// VALUE-NEXT: autodiff @model: tensor<32x16xf16>
// VALUE: @model_step: tensor<32x16xf16>
// VALUE: @model_step: gradient tensor<32x16xf16>, made by graph.add (gradient of graph.softmax)
// VALUE: scale as before
// VALUE: simplify as before
// VALUE: group @model: tensor<32x16xf16>, in group [[#]] (library), stored as result
// VALUE-NEXT: cast to f32 because "deny: exp runs in f32"
// VALUE: @model_step: gradient tensor<32x16xf16>, made by graph.add (gradient of graph.softmax), in group [[#]] (row), stored as result
// VALUE: exec entry forward: exec.call, memref<32x16xf16>, workspace at byte [[#]] of the arena
// VALUE: entry step: gradient, kernel @k_{{[0-9a-f]+}}, memref<32x16xf16>, {{[a-z]+}} at byte [[#]] of the arena
//
// A parameter by its name: its copy, its moments, and the way of its gradient.
// RUN: mpc-opt %s --explain=w | FileCheck %s --check-prefix=PARAMETER
// PARAMETER: %weight = parameter 'w' in @model
// PARAMETER: autocast @model: tensor<64x16xf32>
// PARAMETER-NEXT: cast to f16 because "allow: matmul runs in f16"
// PARAMETER: scale
// PARAMETER: to graph.unscale -> gradient of 'w'
// PARAMETER: update
// PARAMETER-NEXT: weight_copy 'w.f16': tensor<64x16xf16>
// PARAMETER: moment 'w.exp_avg': tensor<64x16xf32>
// PARAMETER: gradient tensor<64x16xf32>
// PARAMETER-NEXT: to graph.all_reduce -> graph.unscale -> graph.mul -> graph.adamw -> graph.select -> next 'w'
// PARAMETER: exec entry forward: exec.state, memref<64x16xf32> in state 'w'
//
// A place, a name that loc gave, an output; options and passes as always.
// RUN: mpc-opt %s --explain="explain.mlir:7:3" --precision=bf16 --compile-to=autocast | FileCheck %s --check-prefix=PLACE
// RUN: mpc-opt %s --explain=product --precision=bf16 --compile-to=autocast | FileCheck %s --check-prefix=PLACE
// PLACE: %m = graph.matmul in @model
// PLACE: autocast @model: tensor<32x16xbf16>
// PLACE: by mpc-autocast: Allow, bf16, allow: matmul runs in bf16
// PLACE-NOT: autodiff
// RUN: mpc-opt %s --explain=y --mpc-autocast="precision=fp16 policy=graph.add=Deny" | FileCheck %s --check-prefix=PASS
// PASS: %h = graph.add in @model
// PASS: autocast as before
// PASS: by mpc-autocast: Deny, f32, deny: add runs in f32 (rule 'graph.add=Deny')
//
// What is merged with an equal value lives on in that.
// RUN: mpc-opt %s --explain=%again | FileCheck %s --check-prefix=GONE
// GONE: simplify @model: tensor<32x16xf16>
// GONE: by cse: an equal value takes its place in @model
// GONE: by cse: an equal value takes its place in @model_step
// GONE: group @model: tensor<32x16xf16>, in group
// What nobody reads is gone.
// RUN: mpc-opt %s --explain=%unused | FileCheck %s --check-prefix=UNUSED
// UNUSED: simplify nowhere
// UNUSED-NEXT: by canonicalize: it is gone from @model
//
// RUN: not mpc-opt %s --explain=%hh 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: mpc-opt: error: expected the name or the place of a value, but got '%hh'; near names are '%h'
// RUN: not mpc-opt %s --explain=%h --precision=bf16 --mpc-autocast 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: mpc-opt: error: options of the pipeline need '--compile-to' beside passes; a single pass takes its options as --pass="name=value"
// RUN: echo "module {}" > %t.empty && not mpc-opt %t.empty --explain=%h 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: but got '%h': the module has no values
// A pass that fails: the story up to there, and the error.
// RUN: not mpc-opt %s --explain=%h --optimizer=none 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error:
// FAILS: %h = graph.add in @model
func.func @model(%x: tensor<32x64xf32> {graph.input = "x"},
    %weight: tensor<64x16xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<16xf32> {graph.parameter = "b", graph.init = #graph.zeros}, %label: tensor<32xi32> {graph.input = "label"})
    -> (tensor<f32> {graph.loss}, tensor<32x16xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<precision = "fp16", loss_scale = #graph.loss_scale<mode = "dynamic">,
                                                 optimizer = #graph.optimizer<name = "adamw", lr = 0.01>, clip = #graph.clip<norm = 1.0>>} {
  %m = graph.matmul %x, %weight : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32> loc("product"("explain.mlir":7:3))
  %h = graph.add %m, %b : (tensor<32x16xf32>, tensor<16xf32>) -> tensor<32x16xf32>
  %s = graph.softmax %h dim = 1 : (tensor<32x16xf32>) -> tensor<32x16xf32>
  %again = graph.softmax %h dim = 1 : (tensor<32x16xf32>) -> tensor<32x16xf32>
  %unused = graph.exp %h : tensor<32x16xf32>
  %sum = graph.add %s, %again : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %loss = graph.cross_entropy %sum, %label : (tensor<32x16xf32>, tensor<32xi32>) -> tensor<f32>
  return %loss, %h : tensor<f32>, tensor<32x16xf32>
}
