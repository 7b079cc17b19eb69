// A16: layers along time, batch first and in both directions. Their outputs and
// states are 16 bits, the cell is f32, and the gradients of f32 weights are, bit for bit,
// those of the layers whose casts stand there by hand.
// RUN: sed -e 's/[/][/]AUTO//' %s | mpc-opt --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast --mpc-differentiate -o %t.auto.mlir
// RUN: sed -e 's/[/][/]HAND//' %s | mpc-opt --mpc-differentiate -o %t.hand.mlir
// RUN: graph-eval %t.auto.mlir --function=layers_step --rounded --compare=%t.hand.mlir --rtol=0 --atol=0
// RUN: FileCheck %s --input-file=%t.auto.mlir
// CHECK-LABEL: func.func @layers(
// CHECK: graph.lstm {{.*}} cell %{{.*}} batch_first : (tensor<2x3x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>, tensor<2x4xf16>, tensor<2x4xf32>) -> (tensor<2x3x4xf16>, tensor<2x4xf16>, tensor<2x4xf32>,
// CHECK: graph.lstm {{.*}} reverse batch_first : (tensor<2x3x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>) -> (tensor<2x3x4xf16>,
// CHECK: graph.gru {{.*}} -> (tensor<2x3x4xf16>,
// CHECK: graph.rnn {{.*}} -> (tensor<2x3x4xf16>,
func.func @layers(%x: tensor<2x3x4xf32> {graph.input = "x"},
    %c: tensor<2x4xf32> {graph.input = "c"},
    %h: tensor<2x4xf32> {graph.input = "h"},
    %wf: tensor<16x4xf32> {graph.parameter = "wf"},
    %uf: tensor<16x4xf32> {graph.parameter = "uf"},
    %wr: tensor<16x4xf32> {graph.parameter = "wr"},
    %ur: tensor<16x4xf32> {graph.parameter = "ur"},
    %wg: tensor<12x8xf32> {graph.parameter = "wg"},
    %ug: tensor<12x4xf32> {graph.parameter = "ug"},
    %we: tensor<4x4xf32> {graph.parameter = "we"},
    %ue: tensor<4x4xf32> {graph.parameter = "ue"})
    -> (tensor<f32> {graph.loss}, tensor<2x3x4xf32> {graph.output = "y"}) {
  %zeros = graph.constant dense<0.0> : tensor<2x3x4xf32>
  //AUTO%f:6 = graph.lstm %x, %wf, %uf initial %h cell %c batch_first : (tensor<2x3x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x16xf32>)
  //AUTO%r:6 = graph.lstm %x, %wr, %ur reverse batch_first : (tensor<2x3x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x16xf32>)
  //AUTO%both = graph.concat %f#0, %r#0 dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  //AUTO%g:4 = graph.gru %both, %wg, %ug batch_first : (tensor<2x3x8xf32>, tensor<12x8xf32>, tensor<12x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x16xf32>)
  //AUTO%e:3 = graph.rnn %g#0, %we, %ue reverse batch_first : (tensor<2x3x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x4xf32>, tensor<3x2x4xf32>)
  //AUTO%out = graph.add %e#0, %f#0 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  //HAND%x16 = graph.cast %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf16>
  //HAND%h16 = graph.cast %h : (tensor<2x4xf32>) -> tensor<2x4xf16>
  //HAND%wf16 = graph.cast %wf : (tensor<16x4xf32>) -> tensor<16x4xf16>
  //HAND%uf16 = graph.cast %uf : (tensor<16x4xf32>) -> tensor<16x4xf16>
  //HAND%f:6 = graph.lstm %x16, %wf16, %uf16 initial %h16 cell %c batch_first : (tensor<2x3x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>, tensor<2x4xf16>, tensor<2x4xf32>) -> (tensor<2x3x4xf16>, tensor<2x4xf16>, tensor<2x4xf32>, tensor<3x2x4xf16>, tensor<3x2x4xf32>, tensor<3x2x16xf16>)
  //HAND%wr16 = graph.cast %wr : (tensor<16x4xf32>) -> tensor<16x4xf16>
  //HAND%ur16 = graph.cast %ur : (tensor<16x4xf32>) -> tensor<16x4xf16>
  //HAND%r:6 = graph.lstm %x16, %wr16, %ur16 reverse batch_first : (tensor<2x3x4xf16>, tensor<16x4xf16>, tensor<16x4xf16>) -> (tensor<2x3x4xf16>, tensor<2x4xf16>, tensor<2x4xf32>, tensor<3x2x4xf16>, tensor<3x2x4xf32>, tensor<3x2x16xf16>)
  //HAND%both = graph.concat %f#0, %r#0 dim = 2 : (tensor<2x3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x3x8xf16>
  //HAND%wg16 = graph.cast %wg : (tensor<12x8xf32>) -> tensor<12x8xf16>
  //HAND%ug16 = graph.cast %ug : (tensor<12x4xf32>) -> tensor<12x4xf16>
  //HAND%g:4 = graph.gru %both, %wg16, %ug16 batch_first : (tensor<2x3x8xf16>, tensor<12x8xf16>, tensor<12x4xf16>) -> (tensor<2x3x4xf16>, tensor<2x4xf16>, tensor<3x2x4xf16>, tensor<3x2x16xf16>)
  //HAND%we16 = graph.cast %we : (tensor<4x4xf32>) -> tensor<4x4xf16>
  //HAND%ue16 = graph.cast %ue : (tensor<4x4xf32>) -> tensor<4x4xf16>
  //HAND%e:3 = graph.rnn %g#0, %we16, %ue16 reverse batch_first : (tensor<2x3x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>) -> (tensor<2x3x4xf16>, tensor<2x4xf16>, tensor<3x2x4xf16>)
  //HAND%sum = graph.add %e#0, %f#0 : (tensor<2x3x4xf16>, tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  //HAND%out = graph.cast %sum : (tensor<2x3x4xf16>) -> tensor<2x3x4xf32>
  %loss = graph.mse %out, %zeros : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<f32>
  return %loss, %out : tensor<f32>, tensor<2x3x4xf32>
}
