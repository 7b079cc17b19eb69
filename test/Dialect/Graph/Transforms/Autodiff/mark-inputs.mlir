// RUN: mpc-opt %s --mpc-mark-inputs --split-input-file | FileCheck %s

// Labels keep their classes through movements; the range is what all readers
// take.
// CHECK-LABEL: func.func @moved(
// CHECK-SAME: tensor<4x6xi32> {graph.classes = #graph.classes<count = 3, ignored = -100>, graph.input = "label", graph.loss_only}
func.func @moved(%label: tensor<4x6xi32> {graph.input = "label"}, %a: tensor<24x5xf32> {graph.input = "a"},
                 %b: tensor<6x4x3xf32> {graph.input = "b"})
    -> (tensor<f32> {graph.loss}, tensor<24x5xf32> {graph.output = "a"}) {
  %0 = graph.reshape %label : (tensor<4x6xi32>) -> tensor<24xi32>
  %1 = graph.cross_entropy %a, %0 : (tensor<24x5xf32>, tensor<24xi32>) -> tensor<f32>
  %2 = graph.transpose %label permutation = [1, 0] : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %3 = graph.cross_entropy %b, %2 : (tensor<6x4x3xf32>, tensor<6x4xi32>) -> tensor<f32>
  %loss = graph.add %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %a : tensor<f32>, tensor<24x5xf32>
}

// -----
// Not all elements are labels: the first of each row is none. Under a mask
// labels may be anything. And -1 of one loss is no label of the other.
// CHECK-LABEL: func.func @some(
// CHECK-SAME: tensor<4x6xi32> {graph.input = "tokens"}
// CHECK-SAME: tensor<4xi32> {graph.input = "masked", graph.loss_only}
// CHECK-SAME: tensor<4xi32> {graph.classes = #graph.classes<count = 7>, graph.input = "both", graph.loss_only}
func.func @some(%tokens: tensor<4x6xi32> {graph.input = "tokens"}, %masked: tensor<4xi32> {graph.input = "masked"},
                %both: tensor<4xi32> {graph.input = "both"}, %mask: tensor<4xi1> {graph.input = "mask"},
                %a: tensor<4x5x9xf32> {graph.input = "a"}, %b: tensor<4x7xf32> {graph.input = "b"})
    -> (tensor<f32> {graph.loss}, tensor<4x6xi32> {graph.output = "o"}) {
  %0 = graph.slice %tokens offsets = [0, 1] sizes = [4, 5] : (tensor<4x6xi32>) -> tensor<4x5xi32>
  %1 = graph.cross_entropy %a, %0 : (tensor<4x5x9xf32>, tensor<4x5xi32>) -> tensor<f32>
  %2 = graph.cross_entropy %b, %masked mask %mask : (tensor<4x7xf32>, tensor<4xi32>, tensor<4xi1>) -> tensor<f32>
  %3 = graph.cross_entropy %b, %both : (tensor<4x7xf32>, tensor<4xi32>) -> tensor<f32>
  %4 = graph.cross_entropy %b, %both ignore_index = -1 : (tensor<4x7xf32>, tensor<4xi32>) -> tensor<f32>
  %5 = graph.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = graph.add %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss = graph.add %5, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %tokens : tensor<f32>, tensor<4x6xi32>
}

// -----
// What the model says itself holds, where it takes less. An output that needs the labels is one of
// several losses: they are not for the loss alone.
// CHECK-LABEL: func.func @said(
// CHECK-SAME: tensor<4xi32> {graph.classes = #graph.classes<count = 2>, graph.input = "label"}
// CHECK-SAME: tensor<4x5xf32> {graph.input = "a"}
func.func @said(%label: tensor<4xi32> {graph.input = "label", graph.classes = #graph.classes<count = 2>},
                %a: tensor<4x5xf32> {graph.input = "a"})
    -> (tensor<f32> {graph.loss = "first"}, tensor<f32> {graph.loss = "second"}) {
  %0 = graph.cross_entropy %a, %label : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  %1 = graph.mean %a dims = [0, 1] : (tensor<4x5xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----
// What one loss ignores is a class of the other: both take it.
// CHECK-LABEL: func.func @ignoredByOne(
// CHECK-SAME: tensor<4xi32> {graph.classes = #graph.classes<count = 5, ignored = 6>, graph.input = "label", graph.loss_only}
func.func @ignoredByOne(%label: tensor<4xi32> {graph.input = "label"}, %a: tensor<4x5xf32> {graph.input = "a"},
                        %b: tensor<4x9xf32> {graph.input = "b"})
    -> (tensor<f32> {graph.loss}, tensor<4x5xf32> {graph.output = "o"}) {
  %0 = graph.cross_entropy %a, %label ignore_index = 6 : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  %1 = graph.cross_entropy %b, %label : (tensor<4x9xf32>, tensor<4xi32>) -> tensor<f32>
  %2 = graph.mean %b dims = [0, 1] : (tensor<4x9xf32>) -> tensor<f32>
  %3 = graph.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss = graph.add %3, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %a : tensor<f32>, tensor<4x5xf32>
}

// -----
// What the model says of an input makes no label of what the loss does not
// take: 7 and -1 would be an infinite loss. Of tokens that no loss reads it is
// all that is known.
// CHECK-LABEL: func.func @said_too_much(
// CHECK-SAME: tensor<4xi32> {graph.classes = #graph.classes<count = 5>, graph.input = "label", graph.loss_only}
// CHECK-SAME: tensor<4xi32> {graph.classes = #graph.classes<count = 5, ignored = -1>, graph.input = "ignored", graph.loss_only}
// CHECK-SAME: tensor<4x6xi32> {graph.classes = #graph.classes<count = 50257>, graph.input = "tokens", graph.loss_only}
func.func @said_too_much(%label: tensor<4xi32> {graph.input = "label", graph.classes = #graph.classes<count = 9, ignored = -1>},
                         %ignored: tensor<4xi32> {graph.input = "ignored", graph.classes = #graph.classes<count = 9, ignored = -1>},
                         %tokens: tensor<4x6xi32> {graph.input = "tokens", graph.classes = #graph.classes<count = 50257>},
                         %a: tensor<4x5xf32> {graph.input = "a"})
    -> (tensor<f32> {graph.loss}, tensor<4x5xf32> {graph.output = "a"}) {
  %0 = graph.cross_entropy %a, %label : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  %1 = graph.cross_entropy %a, %ignored ignore_index = -1 : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  %loss = graph.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %a : tensor<f32>, tensor<4x5xf32>
}

// -----
// Lengths of sequences are 0 to the number of steps, in either order of the
// input; of two layers, the shorter time holds.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME: tensor<2xi32> {graph.classes = #graph.classes<count = 5>, graph.input = "lengths"}
// CHECK-SAME: tensor<2xi64> {graph.classes = #graph.classes<count = 4>, graph.input = "shorter"}
func.func @lengths(%x: tensor<2x4x3xf32> {graph.input = "x"}, %z: tensor<3x2x3xf32> {graph.input = "z"},
                   %lengths: tensor<2xi32> {graph.input = "lengths"}, %shorter: tensor<2xi64> {graph.input = "shorter"},
                   %w: tensor<8x3xf32> {graph.input = "w"}, %u: tensor<8x2xf32> {graph.input = "u"},
                   %v: tensor<2x3xf32> {graph.input = "v"}, %t: tensor<2x2xf32> {graph.input = "t"})
    -> (tensor<2x4x2xf32> {graph.output = "y"}, tensor<3x2x2xf32> {graph.output = "r"}, tensor<2x4x2xf32> {graph.output = "s"}) {
  %f:6 = graph.lstm %x, %w, %u lengths %lengths batch_first : (tensor<2x4x3xf32>, tensor<8x3xf32>, tensor<8x2xf32>, tensor<2xi32>) -> (tensor<2x4x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4x2x2xf32>, tensor<4x2x2xf32>, tensor<4x2x8xf32>)
  %r:3 = graph.rnn %z, %v, %t lengths %shorter : (tensor<3x2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xi64>) -> (tensor<3x2x2xf32>, tensor<2x2xf32>, tensor<3x2x2xf32>)
  %s:3 = graph.rnn %x, %v, %t lengths %shorter batch_first : (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xi64>) -> (tensor<2x4x2xf32>, tensor<2x2xf32>, tensor<4x2x2xf32>)
  return %f#0, %r#0, %s#0 : tensor<2x4x2xf32>, tensor<3x2x2xf32>, tensor<2x4x2xf32>
}
