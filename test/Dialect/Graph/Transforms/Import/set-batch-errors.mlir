// RUN: mpc-opt %s --mpc-set-batch="batch=7" --split-input-file --verify-diagnostics

func.func @part(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<2x3xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected to take all samples, whatever the batch size is, but takes 2 of 4 along dim 0}}
  %0 = graph.slice %x offsets = [1, 0] sizes = [2, 3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
func.func @joined(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<8x3xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected nothing before or after the samples, which lie along dim 0, but operand and result have 4 and 8}}
  %0 = graph.concat %x, %x dim = 0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----
func.func @padded(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<5x3xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected nothing before or after the samples, which lie along dim 0, but operand and result have 4 and 5}}
  %0 = graph.pad %x low = [0, 0] high = [1, 0] : (tensor<4x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----
// Rows of 6 hold a sample and a half.
func.func @mixed(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<2x6xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected a dim of the result that begins where dim 0 of the operand does and holds whole samples of a batch of 4, but got 4x3 and 2x6}}
  %0 = graph.reshape %x : (tensor<4x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----
// A parameter per place in the batch.
// expected-note @+2 {{operand 1 is 'tensor<4x3xf32>' for every batch}}
func.func @places(%x: tensor<4x3xf32> {graph.input = "x"},
                  %w: tensor<4x3xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected operands that can have another batch size than 4, but the shapes of some are fixed and do not fit then; compile the model as it is written, or write it so that they broadcast}}
  %0 = graph.add %x, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----
// A constant of different rows.
func.func @rows(%x: tensor<4x1xf32> {graph.input = "x"}) -> (tensor<4x1xf32> {graph.output = "y"}) {
  // expected-note @+1 {{operand 1 is 'tensor<4x1xf32>' for every batch}}
  %c = graph.constant dense<[[1.0], [1.0], [1.0], [2.0]]> : tensor<4x1xf32>
  // expected-error @+1 {{expected operands that can have another batch size than 4}}
  %0 = graph.add %x, %c : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----
// Targets that are no input: the loss verifies its shapes.
func.func @targets(%x: tensor<4x3xf32> {graph.input = "x"},
  // expected-note @+1 {{operand 1 is 'tensor<4x3xf32>' for every batch}}
                   %t: tensor<4x3xf32> {graph.parameter = "t", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss}) {
  // expected-error @+1 {{expected operands that can have another batch size than 4}}
  %0 = graph.mse %x, %t : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
// expected-error @+1 {{expected an input of rank 1 or more, whose first dim is the batch, but there is none}}
func.func @scalars(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}

// -----
func.func @table(%x: tensor<4x3xf32> {graph.input = "x"},
  // expected-error @+1 {{expected a batch that is not 7, with which input 'table' of 7x3 begins, which is no batch of samples}}
                 %table: tensor<7x3xf32> {graph.input = "table"}) -> (tensor<4x7xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %table transpose_rhs : (tensor<4x3xf32>, tensor<7x3xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----
// The second call has the batch elsewhere.
func.func @calls(%x: tensor<4x4xf32> {graph.input = "x"}) -> (tensor<4x4xf32> {graph.output = "a"}, tensor<4x4xf32> {graph.output = "b"}) {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{expected all calls of 'twice' to have the batch in the same dims, but dim 1 of input 0 is not one here; give this call an implementation of its own}}
  %1 = graph.custom @twice(%x) policy = "Deny" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.custom @twice(%0) policy = "Deny" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func private @twice(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.add %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// An implementation that reaches itself has no size.
func.func @loop(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  // expected-note @+1 {{called here}}
  %0 = graph.custom @again(%x) policy = "Deny" : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// expected-error @+1 {{expected an implementation that does not call itself, but 'again' does}}
func.func private @again(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-note @+1 {{called here}}
  %0 = graph.custom @again(%x) policy = "Deny" : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----
// A constant that repeats for the samples, and whose rows are counted, too: the
// sum of 4 rows would become that of 7.
func.func @roles(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected readers that all need this value to have as many elements as the batch has samples, or none, but one does and another does not; write a value of its own for each}}
  %c = graph.constant dense<1.0> : tensor<4x3xf32>
  // expected-note @+1 {{this reader needs it to follow the batch}}
  %0 = graph.add %x, %c : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // expected-note @+1 {{this reader would compute something else with another batch size}}
  %1 = graph.sum %c dims = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
  %2 = graph.mul %0, %1 : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----
// The same after an op, and through the implementation of a custom op. The
// broadcast itself has one reader.
func.func @chain(%x: tensor<4x3xf32> {graph.input = "x"},
                 %w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  %b = graph.broadcast %w : (tensor<3xf32>) -> tensor<4x3xf32>
  // expected-error @+1 {{expected readers that all need this value}}
  %e = graph.exp %b : tensor<4x3xf32>
  // expected-note @+1 {{this reader needs it to follow the batch}}
  %0 = graph.add %x, %e : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // expected-note @+1 {{this reader would compute something else with another batch size}}
  %1 = graph.custom @total(%e) policy = "Deny" : (tensor<4x3xf32>) -> tensor<3xf32>
  %2 = graph.mul %0, %1 : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
func.func private @total(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %0 = graph.neg %x : tensor<4x3xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----
// Two roles beside samples: of the product, dim 1 would follow.
func.func @product(%x: tensor<4x3xf32> {graph.input = "x"})
    -> (tensor<3x4xf32> {graph.output = "y"}, tensor<4xf32> {graph.output = "z"}) {
  // expected-error @+1 {{expected readers that all need this value}}
  %c = graph.constant dense<1.0> : tensor<3x4xf32>
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  // expected-note @+1 {{this reader needs it to follow the batch}}
  %y = graph.add %0, %c : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // expected-note @+1 {{this reader would compute something else with another batch size}}
  %1 = graph.matmul %x, %c : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  %z = graph.sum %1 dims = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<3x4xf32>, tensor<4xf32>
}

// -----
// One reader needs a constant to follow, the other one cannot take that.
// expected-note @+2 {{operand 0 is 'tensor<4x3xf32>' for every batch}}
func.func @both(%x: tensor<4x3xf32> {graph.input = "x"},
                %w: tensor<4x3xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<4x3xf32> {graph.output = "y"}, tensor<4x3xf32> {graph.output = "z"}) {
  %c = graph.constant dense<1.0> : tensor<4x3xf32>
  // expected-note @+1 {{operand 1 follows the batch because of this reader}}
  %0 = graph.add %x, %c : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // expected-error @+1 {{expected operands that can have another batch size than 4}}
  %1 = graph.maximum %w, %c : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----
// No stage after could take it.
func.func @model(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  return %x : tensor<4x3xf32>
}
// expected-error @+1 {{expected a tensor of at most 2^42 bytes, but got 'tensor<9223372036854775807xf32>'}}
func.func private @large(%x: tensor<9223372036854775807xf32>) {
  return
}

// -----

func.func @window(%x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  // expected-error @+1 {{expected to take samples in their order, but moves them along dim 0}}
  %0 = graph.window %x offsets = [1, 0] sizes = [4, 3] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
