// Family Loss: one f32 (or f64) number from predictions and targets.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_LOSS_TD
#define MPC_DIALECT_GRAPH_IR_OPS_LOSS_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/LabelsOpInterface.td"

def Graph_CrossEntropyOp : Graph_InferredOp<"cross_entropy", Deny,
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfDeny>, HasVjp, [Composite, TakesLabels, Graph_NamesResults]> {
  let summary = "negative log likelihood of labels under softmax of logits";
  let description = [{
    The last dim of the logits are the classes, the others are samples. A sample
    counts unless its label is `ignore_index` or its mask is false; n is how many
    count. `mean` divides by n, so that the mean of no sample is NaN, as in
    PyTorch; `sum` does not divide. Labels that count lie in [0, classes). The
    loss is f32, or f64 for f64 logits.

    `loss = -1/n * sum over counting samples s of log_softmax(logits[s, :])[labels[s]]`

    - C1: labels have the shape of the logits without their last dim
    - C2: the mask has the shape of the labels
    - C3: `ignore_index` fits the labels' element type
    - C4: logits have rank 1 or more

    ```mlir
    %loss = graph.cross_entropy %logits, %labels mask %mask ignore_index = -1 reduction = <sum> : (tensor<64x10xf32>, tensor<64xi32>, tensor<64xi1>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IntTensor:$labels,
    Optional<Graph_BoolTensor>:$mask,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
    DefaultValuedAttr<Graph_LossReductionAttr, "::mpc::graph::LossReduction::Mean">:$reduction);
  let results = (outs Graph_WideScalar:$loss);
  let assemblyFormat = [{
    $logits `,` $labels (`mask` $mask^)? (`ignore_index` `=` $ignore_index^)?
    (`reduction` `=` $reduction^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def Graph_MseOp : Graph_InferredOp<"mse", Deny,
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfDeny>, HasVjp,
    [Composite, SameOperandsElementType, Graph_NamesResults]> {
  let summary = "mean (or sum) of squared differences";
  let description = [{
    The squared distance of prediction and target; n is the number of elements
    for `mean` and 1 for `sum`. The loss is f32, or f64 for f64 operands.

    `loss = 1/n * sum_i (prediction[i] - target[i])^2`

    - C1: prediction and target have one shape
    - C2: prediction and target have one element type

    ```mlir
    %loss = graph.mse %prediction, %target : (tensor<64x3xf32>, tensor<64x3xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$prediction, Graph_FloatTensor:$target,
    DefaultValuedAttr<Graph_LossReductionAttr, "::mpc::graph::LossReduction::Mean">:$reduction);
  let results = (outs Graph_WideScalar:$loss);
  let assemblyFormat = [{
    $prediction `,` $target (`reduction` `=` $reduction^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def Graph_BinaryCrossEntropyOp : Graph_InferredOp<"binary_cross_entropy", Deny,
    AutocastLists<Banned, Fp32, Banned, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite, SameOperandsElementType, Graph_NamesResults]> {
  let summary = "negative log likelihood of targets under probabilities";
  let description = [{
    PyTorch's function of this name: predictions are probabilities in [0, 1],
    logarithms are cut off at -100, n is the number of elements for `mean` and 1
    for `sum`. Near 0 and 1 a probability has lost what a logit still says, so
    PyTorch's autocast bans it; here it runs in f32. The loss is f32, or f64 for
    f64 operands.

    `loss = -1/n * sum_i (t * max(ln(p), -100) + (1 - t) * max(ln(1 - p), -100)) where p = prediction[i], t = target[i]`

    - C1: prediction and target have one shape
    - C2: prediction and target have one element type

    ```mlir
    %loss = graph.binary_cross_entropy %prediction, %target : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$prediction, Graph_FloatTensor:$target,
    DefaultValuedAttr<Graph_LossReductionAttr, "::mpc::graph::LossReduction::Mean">:$reduction);
  let results = (outs Graph_WideScalar:$loss);
  let assemblyFormat = [{
    $prediction `,` $target (`reduction` `=` $reduction^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_LOSS_TD
