// Family Recurrent: states that go from step to step of time.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_TIME_RECURRENT_TD
#define MPC_DIALECT_GRAPH_IR_OPS_TIME_RECURRENT_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/LabelsOpInterface.td"

/// One layer in one direction, or its backward; both are made of a product over all
/// steps and a scan.
class Graph_RecurrentLikeOp<string mnemonic, Gradient gradient, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, Allow,
        AutocastLists<LowerPrecisionFp, LowerPrecisionFp, LowerPrecisionFp, TfAllow, TfUnlisted>, gradient,
        [Composite] # traits>;

/// What the forward of all three has alike.
class Graph_RecurrentOp<string mnemonic, list<Trait> traits = []>
    : Graph_RecurrentLikeOp<mnemonic, HasVjp, [AttrSizedOperandSegments, TakesLabels] # traits> {
  dag weights = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$input_weight,
    Graph_FloatTensor:$state_weight, Optional<Graph_FloatTensor>:$input_bias,
    Optional<Graph_FloatTensor>:$state_bias, Optional<Graph_FloatTensor>:$initial);
  dag options = (ins Optional<Graph_IntTensor>:$lengths, UnitAttr:$reverse, UnitAttr:$batch_first);
  code operands = [{
    $input `,` $input_weight `,` $state_weight (`bias` $input_bias^ `,` $state_bias)?
    (`initial` $initial^)? }];
  code ending = [{ (`lengths` $lengths^)? (`reverse` $reverse^)? (`batch_first` $batch_first^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

/// What the backward of all three has alike. Time comes first.
class Graph_RecurrentBackwardOp<string mnemonic, list<Trait> traits = []>
    : Graph_RecurrentLikeOp<mnemonic, NoGradient, traits> {
  dag stateWeight = (ins Graph_FloatTensor:$state_weight);
  dag given = (ins Optional<Graph_FloatTensor>:$initial);
  dag cotangents = (ins Optional<Graph_IntTensor>:$lengths,
    Graph_FloatTensor:$output_cotangent, Graph_FloatTensor:$last_cotangent, UnitAttr:$reverse);
}

def Graph_RnnOp : Graph_RecurrentOp<"rnn", [AlsoCalled<["rnn_tanh", "rnn_relu", "elman"]>]> {
  let summary = "a layer of an Elman network: a state of every step";
  let description = [{
    The input is [time, batch, features], or [batch, time, features] if
    `batch_first`, and so is the output; states are [batch, width]. Weights lie as
    in PyTorch (`torch.nn.RNN`, `weight_ih_l0` and `weight_hh_l0`): [width, features]
    and [width, width]. The first state is `initial`, or zero. With `relu`,
    max(0, a) stands for tanh(a). `reverse` goes from the last step to the first: two
    layers, whose outputs `concat` joins, are a bidirectional one.

    `lengths` are the steps of each sequence of the batch, in 0 to time: after them
    the output is zero and the state stays (PyTorch's packed sequences,
    ONNX' sequence_lens). Where a whole input of the model is lengths, one below 0 or
    above time is an error before the step. `states` is what the backward keeps: the
    state after each step, [time, batch, width] whatever the input's order is; nothing
    that is differentiated may depend on it.

    In 16 bits, products are accumulated in f32 and added there, and states are
    rounded once in a step.

    `states[t] = tanh(input[t] input_weight^T + input_bias + states[t - 1] state_weight^T + state_bias)`

    - C1: the input has rank 3, and the weights are [width, its features] and [width, width]
    - C2: biases are [width], both there or neither; `initial` is [batch, width]
    - C3: tensors have one element type
    - C4: `lengths` are [batch]

    ```mlir
    %y, %last, %states = graph.rnn %x, %w, %u bias %b, %c : (tensor<5x4x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
    ```
  }];
  let arguments = !con(weights, options, (ins UnitAttr:$relu));
  let results = (outs Graph_FloatTensor:$output, Graph_FloatTensor:$last, Graph_FloatTensor:$states);
  let syntax = operands # "(`relu` $relu^)?" # ending;
}
def Graph_RnnBackwardOp : Graph_RecurrentBackwardOp<"rnn_backward"> {
  let summary = "gradients of rnn for its sums and its first state";
  let description = [{
    The vector-Jacobian product of `rnn`, up to the sums under the tanh, of which the
    gradients of weights, biases and input are products and sums. `reverse`
    and `relu` are those of the forward op.

    `sums[t] = (output_cotangent[t] + sums[t + 1] state_weight) * (1 - states[t]^2)`

    - C1: operands are those of an `rnn`, its states, and cotangents of its output, time first, and of its last state

    ```mlir
    %da, %dh = graph.rnn_backward %u states %s cotangents %dy, %dl : (tensor<16x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>)
    ```
  }];
  let arguments = !con(stateWeight, (ins Graph_FloatTensor:$states), cotangents, (ins UnitAttr:$relu));
  let results = (outs Graph_FloatTensor:$sums, Graph_FloatTensor:$first);
  let syntax = [{
    $state_weight `states` $states (`lengths` $lengths^)? `cotangents` $output_cotangent `,` $last_cotangent
    (`reverse` $reverse^)? (`relu` $relu^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_LstmOp : Graph_RecurrentOp<"lstm"> {
  let summary = "a layer of long short-term memory: a state and a cell of every step";
  let description = [{
    Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000).
    What it has in common with `rnn` is told there. The weights of the four gates
    lie one after the other, [4 * width, ...], as in PyTorch: input, forget, cell,
    output; with `onnx_order` input, output, forget, cell.

    Cells are f32 beside 16 bits (f64 beside f64), as is `initial_cell`, and autocast
    leaves them so: what a cell adds up over a thousand steps would be lost in 16
    bits. `cells` and `gates` are what the backward keeps besides, and nothing that is
    differentiated may depend on them: the cell after each step, [time, batch, width],
    and its gates behind sigmoid and tanh, [time, batch, 4 * width], in the order of the
    weights. `last_cell` is [batch, width].

    `i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of input[t] input_weight^T + input_bias + states[t - 1] state_weight^T + state_bias, cells[t] = f * cells[t - 1] + i * g, states[t] = o * tanh(cells[t])`

    - C1: the input has rank 3, and the weights are [4 * width, its features] and [4 * width, width]
    - C2: biases are [4 * width], both there or neither; `initial` and `cell` are [batch, width], the latter beside the former
    - C3: tensors have one element type, but for a cell, which is f32 beside 16 bits
    - C4: `lengths` are [batch]

    ```mlir
    %y, %h, %c, %states, %cells, %gates = graph.lstm %x, %w, %u bias %a, %b : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
    ```
  }];
  let arguments = !con(weights, (ins Optional<Graph_WideTensor>:$initial_cell), options,
                       (ins UnitAttr:$onnx_order));
  let results = (outs Graph_FloatTensor:$output, Graph_FloatTensor:$last, Graph_WideTensor:$last_cell,
    Graph_FloatTensor:$states, Graph_WideTensor:$cells, Graph_FloatTensor:$gates);
  let syntax = operands # "(`cell` $initial_cell^)? (`onnx_order` $onnx_order^)?" # ending;
  let extraClassDeclaration = [{
    /// AutocastOpInterface: a cell is f32 as it is.
    bool isRetypeable(unsigned index);
    bool takesMixedTypes() { return true; }
  }];
}
def Graph_LstmBackwardOp : Graph_RecurrentBackwardOp<"lstm_backward", [AttrSizedOperandSegments]> {
  let summary = "gradients of lstm for its sums, its first state and its first cell";
  let description = [{
    The vector-Jacobian product of `lstm`, up to the sums under the gates, of which
    the gradients of weights, biases and input are products and sums. `reverse`
    and `onnx_order` are those of the forward op.

    `sums[t] = gradients of i, f, g and o by states[t] and cells[t], with output_cotangent[t] + sums[t + 1] state_weight of the state`

    - C1: operands are those of an `lstm`, its cells and gates, and cotangents of its output, time first, and of its last state and cell

    ```mlir
    %da, %dh, %dc = graph.lstm_backward %u kept %cells, %gates cotangents %dy, %dl, %dm : (tensor<64x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
    ```
  }];
  let arguments = !con(stateWeight, (ins Graph_WideTensor:$cells, Graph_FloatTensor:$gates,
    Optional<Graph_WideTensor>:$initial_cell), cotangents,
    (ins UnitAttr:$onnx_order, Graph_WideTensor:$cell_cotangent));
  let results = (outs Graph_FloatTensor:$sums, Graph_FloatTensor:$first, Graph_WideTensor:$first_cell);
  let syntax = [{
    $state_weight `kept` $cells `,` $gates (`cell` $initial_cell^)? (`lengths` $lengths^)?
    `cotangents` $output_cotangent `,` $last_cotangent `,` $cell_cotangent
    (`reverse` $reverse^)? (`onnx_order` $onnx_order^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_GruOp : Graph_RecurrentOp<"gru"> {
  let summary = "a layer of gated recurrent units: a state of every step";
  let description = [{
    Cho et al. (2014). What it has in common with `rnn` is told there. The weights
    of the three gates lie one after the other, [3 * width, ...], as in PyTorch:
    reset, update, new; with `onnx_order` update, reset, new.

    The reset gate multiplies the state's part of the new gate's sum (PyTorch;
    ONNX with linear_before_reset = 1) or, with `reset_first`, the state in front of
    that product (ONNX with 0, Cho et al.). `gates` is what the backward keeps
    besides, and nothing that is differentiated may depend on it: [time, batch,
    4 * width], reset, update, new, and the state's part of the new gate's sum. With
    `reset_first` that is not there: [time, batch, 3 * width].

    `r, z = sigmoid of input[t] input_weight^T + input_bias + states[t - 1] state_weight^T + state_bias, n = tanh(its part of the former + r * its part of the latter), states[t] = (1 - z) * n + z * states[t - 1]`

    - C1: the input has rank 3, and the weights are [3 * width, its features] and [3 * width, width]
    - C2: biases are [3 * width], both there or neither; `initial` is [batch, width]
    - C3: tensors have one element type
    - C4: `lengths` are [batch]

    ```mlir
    %y, %h, %states, %gates = graph.gru %x, %w, %u bias %a, %b : (tensor<5x4x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<48xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
    ```
  }];
  let arguments = !con(weights, options, (ins UnitAttr:$reset_first, UnitAttr:$onnx_order));
  let results = (outs Graph_FloatTensor:$output, Graph_FloatTensor:$last, Graph_FloatTensor:$states,
                      Graph_FloatTensor:$gates);
  let syntax = operands # "(`reset_first` $reset_first^)? (`onnx_order` $onnx_order^)?" # ending;
}
def Graph_GruBackwardOp : Graph_RecurrentBackwardOp<"gru_backward", [AttrSizedOperandSegments]> {
  let summary = "gradients of gru for its sums and its first state";
  let description = [{
    The vector-Jacobian product of `gru`, up to the sums under the gates, of which
    the gradients of weights, biases and input are products and sums. The sums of the
    input's part and of the state's part are two results: they differ in the new
    gate. `reverse`, `reset_first` and `onnx_order` are those of the forward op.

    `input_sums[t] = gradients of r, z and n by states[t], with output_cotangent[t] and what states[t + 1] has of it of the state`

    - C1: operands are those of a `gru`, its states and gates, and cotangents of its output, time first, and of its last state

    ```mlir
    %da, %db, %dh = graph.gru_backward %u kept %states, %gates cotangents %dy, %dl : (tensor<48x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x48xf32>, tensor<5x4x48xf32>, tensor<4x16xf32>)
    ```
  }];
  let arguments = !con(stateWeight, (ins Graph_FloatTensor:$states, Graph_FloatTensor:$gates), given,
    cotangents, (ins UnitAttr:$reset_first, UnitAttr:$onnx_order));
  let results = (outs Graph_FloatTensor:$input_sums, Graph_FloatTensor:$state_sums, Graph_FloatTensor:$first);
  let syntax = [{
    $state_weight `kept` $states `,` $gates (`initial` $initial^)? (`lengths` $lengths^)?
    `cotangents` $output_cotangent `,` $last_cotangent (`reverse` $reverse^)?
    (`reset_first` $reset_first^)? (`onnx_order` $onnx_order^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_TIME_RECURRENT_TD
