// Family Loss: f32 (or f64) numbers from predictions and targets.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_LOSS_TD
#define MPC_DIALECT_GRAPH_IR_OPS_LOSS_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/LabelsOpInterface.td"

/// A loss is f32, or f64 for f64 predictions; of rank 0, but for `none`.
class Graph_LossOp<string mnemonic, AutocastLists lists, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, Deny, lists, HasVjp,
                       [Composite, Graph_NamesResults] # traits> {
  dag reductionArgument = (ins
    DefaultValuedAttr<Graph_LossReductionAttr, "::mpc::graph::LossReduction::Mean">:$reduction);
  string reductionFormat = [{
    (`reduction` `=` $reduction^)? attr-dict `:` functional-type(operands, results)
  }];
  let results = (outs Graph_WideTensor:$loss);
  let hasVerifier = 1;
}

//===-- Of elements --------------------------------------------------------===//

/// The losses of elements, `loss[i] = formula` of `p = prediction[i]` and
/// `t = target[i]`, and their sum or mean.
class Graph_ElementLossOp<string mnemonic, AutocastLists lists, string meaning,
                          string formula, string constraint = "", dag options = (ins),
                          string words = "", string example = "">
    : Graph_LossOp<mnemonic, lists, [SameOperandsElementType]> {
  let description = meaning # [{ `mean` divides their sum by the number of
elements, `sum` does not, and `none` leaves them as they are. The loss is f32, or
f64 for f64 operands.

`loss[i] = }] # formula # [{ where p = prediction[i], t = target[i]`

- C1: prediction and target have one shape
- C2: the operands have one element type
}] # constraint # [{

```mlir
%loss = graph.}] # mnemonic # " %prediction, %target " # example # [{: (tensor<64x3xf32>, tensor<64x3xf32>) -> tensor<f32>
```
}];
  let arguments = !con((ins Graph_FloatTensor:$prediction, Graph_FloatTensor:$target),
                       options, reductionArgument);
  let syntax = "$prediction `,` $target " # words # reductionFormat;
}

def Graph_MseOp : Graph_ElementLossOp<"mse",
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfDeny>,
    "Squared differences.", "(p - t)^2"> {
  let summary = "squared differences";
}
def Graph_L1Op : Graph_ElementLossOp<"l1",
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfInfer>,
    "Absolute differences; their gradient at 0 is 0.", "|p - t|"> {
  let summary = "absolute differences";
}
def Graph_SmoothL1Op : Graph_ElementLossOp<"smooth_l1",
    AutocastLists<Fp32, Fp32, Fp32, TfUnlisted, TfUnlisted>,
    "Absolute differences, whose kink is a parabola of width `beta`. 0 makes it `graph.l1`.",
    "|p - t| < beta ? (p - t)^2 / (2 beta) : |p - t| - beta / 2",
    "- C3: `beta` is finite and not negative",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$beta),
    "(`beta` `=` custom<RealAttr>($beta)^)? ", "beta = 0.5 "> {
  let summary = "absolute differences, squared near 0";
}
def Graph_HuberOp : Graph_ElementLossOp<"huber",
    AutocastLists<Fp32, Fp32, Fallthrough, TfDeny, TfInfer>,
    "Half of squared differences, that grow linearly beyond `delta`: `delta` times `graph.smooth_l1`.",
    "|p - t| <= delta ? (p - t)^2 / 2 : delta (|p - t| - delta / 2)",
    "- C3: `delta` is finite and greater than 0",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$delta),
    "(`delta` `=` custom<RealAttr>($delta)^)? ", "delta = 0.5 "> {
  let summary = "squared differences, linear far from 0";
}
def Graph_BinaryCrossEntropyOp : Graph_ElementLossOp<"binary_cross_entropy",
    AutocastLists<Banned, Fp32, Banned, TfUnlisted, TfUnlisted>, [{
Negative log likelihoods of targets under probabilities, as PyTorch's function of
this name: predictions lie in [0, 1], logarithms are cut off at -100. Near 0 and 1
a probability has lost what a logit still says, so PyTorch's autocast bans it;
here it runs in f32.}],
    "-(t * max(ln(p), -100) + (1 - t) * max(ln(1 - p), -100))"> {
  let summary = "negative log likelihood of targets under probabilities";
}
def Graph_KlDivOp : Graph_ElementLossOp<"kl_div",
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfInfer>, [{
The divergence of a distribution of targets from predictions, which are logarithms
of probabilities; so are the targets with `log_target`, t' = ln(t). A target of 0
costs 0. PyTorch's reduction `batchmean` is the `sum` over the number of samples.}],
    "t > 0 ? t * (ln(t) - p) : 0", "",
    (ins UnitAttr:$log_target), "(`log_target` $log_target^)? ", ""> {
  let summary = "Kullback-Leibler divergence of targets from log-probabilities";
}

def Graph_BinaryCrossEntropyWithLogitsOp : Graph_LossOp<"binary_cross_entropy_with_logits",
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfDeny>, [SameOperandsElementType]> {
  let summary = "negative log likelihood of targets under sigmoids of logits";
  let description = [{
    In a form that neither overflows nor loses what a logit says far from 0.
    `pos_weight` w counts the positive targets of its element w times, 1 if it is
    left out; it has no gradient. `mean` divides the sum by the number of
    elements, `sum` does not, and `none` leaves the losses as they are. The loss
    is f32, or f64 for f64 operands.

    `loss[i] = (1 - t) * x + (1 + (w - 1) * t) * (ln(1 + e^-|x|) + max(-x, 0)) where x = logits[i], t = target[i]`

    - C1: logits and target have one shape
    - C2: the operands have one element type
    - C3: `pos_weight` broadcasts to the shape of the logits

    ```mlir
    %loss = graph.binary_cross_entropy_with_logits %logits, %target pos_weight %w : (tensor<64x3xf32>, tensor<64x3xf32>, tensor<3xf32>) -> tensor<f32>
    ```
  }];
  let arguments = !con((ins Graph_FloatTensor:$logits, Graph_FloatTensor:$target,
                            Optional<Graph_FloatTensor>:$pos_weight), reductionArgument);
  let syntax = "$logits `,` $target (`pos_weight` $pos_weight^)? " # reductionFormat;
}

//===-- Of samples ---------------------------------------------------------===//

/// The operands of losses that read labels, and the words for them.
class Graph_LabelLossOp<string mnemonic, AutocastLists lists>
    : Graph_LossOp<mnemonic, lists, [TakesLabels, AttrSizedOperandSegments]> {
  dag labelArguments = (ins Graph_IntTensor:$labels,
    Optional<Graph_TensorOf<AnyTypeOf<[I1, F64, F32, F16, BF16], "i1, f64, f32, f16 or bf16">>>:$mask,
    Optional<Graph_FloatTensor>:$weight,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
    DefaultValuedAttr<F64Attr, "0.0">:$epsilon);
  string labelFormat = [{ `,` $labels (`mask` $mask^)? (`weight` $weight^)?
    (`ignore_index` `=` $ignore_index^)? (`epsilon` `=` custom<RealAttr>($epsilon)^)? }];
  let extraClassDeclaration = [{
    bool takesMixedTypes() { return true; }
  }];
}

def Graph_CrossEntropyOp : Graph_LabelLossOp<"cross_entropy",
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfDeny>> {
  let summary = "negative log likelihood of labels under softmax of logits";
  let description = [{
    The last dim of the logits are the classes, the others are samples. A sample
    does not count where its label is `ignore_index` (-100, as in PyTorch,
    unless given) or its mask false or 0; a mask of floats says how much it
    counts. `weight` does so for classes.
    `label_smoothing` s takes s of each label and spreads it over all classes.
    `mean` divides by what counts, `sum_s mask[s] * weight[labels[s]] + epsilon`:
    without epsilon the mean of no sample is NaN, as in PyTorch. `sum` does not
    divide, `none` leaves a loss per sample, 0 where it does not count. Labels
    that count lie in [0, classes). Masks and weights have no gradient. The loss is
    f32, or f64 for f64 logits.

    `loss[s] = -mask[s] * sum_c weight[c] * ((1 - label_smoothing) * (c = labels[s]) + label_smoothing / classes) * log_softmax(logits[s, :])[c]`

    - C1: labels have the shape of the logits without their last dim
    - C2: the mask has the shape of the labels
    - C3: `ignore_index` fits the labels' element type
    - C4: logits have rank 1 or more
    - C5: the weight has one dim, the classes
    - C6: `epsilon` is finite and not negative
    - C7: `label_smoothing` is from 0 to 1

    ```mlir
    %loss = graph.cross_entropy %logits, %labels mask %mask ignore_index = -1 reduction = <sum> : (tensor<64x10xf32>, tensor<64xi32>, tensor<64xi1>) -> tensor<f32>
    ```
  }];
  let arguments = !con((ins Graph_FloatTensor:$logits), labelArguments,
    (ins DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing), reductionArgument);
  let syntax = "$logits " # labelFormat #
    "(`label_smoothing` `=` custom<RealAttr>($label_smoothing)^)? " # reductionFormat;
}

def Graph_NllOp : Graph_LabelLossOp<"nll",
    AutocastLists<Fp32, Fp32, Fp32, TfUnlisted, TfUnlisted>> {
  let summary = "negative log likelihood of labels under log-probabilities";
  let description = [{
    What `graph.cross_entropy` computes after its softmax: the logarithms of
    probabilities are given, as `graph.log_softmax` makes them. Labels, masks,
    weights and reductions are read as there.

    `loss[s] = -mask[s] * weight[labels[s]] * log_probabilities[s, labels[s]]`

    - C1: labels have the shape of the log-probabilities without their last dim
    - C2: the mask has the shape of the labels
    - C3: `ignore_index` fits the labels' element type
    - C4: log-probabilities have rank 1 or more
    - C5: the weight has one dim, the classes
    - C6: `epsilon` is finite and not negative

    ```mlir
    %loss = graph.nll %p, %labels weight %weight : (tensor<64x10xf32>, tensor<64xi32>, tensor<10xf32>) -> tensor<f32>
    ```
  }];
  let arguments = !con((ins Graph_FloatTensor:$log_probabilities), labelArguments, reductionArgument);
  let syntax = "$log_probabilities " # labelFormat # reductionFormat;
}

def Graph_SoftCrossEntropyOp : Graph_LossOp<"soft_cross_entropy",
    AutocastLists<Fp32, Fp32, Fp32, TfDeny, TfDeny>> {
  let summary = "cross entropy of a distribution of targets under softmax of logits";
  let description = [{
    PyTorch's cross_entropy with probabilities as targets: the last dim are the
    classes, the others are samples. `weight` and `label_smoothing` are those of
    `graph.cross_entropy`, but `mean` divides by the number of samples, whatever
    they weigh, as in PyTorch. Weights have no gradient. The loss is f32, or f64 for
    f64 logits.

    `loss[s] = -sum_c weight[c] * ((1 - label_smoothing) * target[s, c] + label_smoothing / classes) * log_softmax(logits[s, :])[c]`

    - C1: logits and target have one shape, of rank 1 or more
    - C2: the weight has one dim, the classes
    - C3: `label_smoothing` is from 0 to 1

    ```mlir
    %loss = graph.soft_cross_entropy %logits, %target label_smoothing = 0.1 : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<f32>
    ```
  }];
  let arguments = !con((ins Graph_FloatTensor:$logits, Graph_FloatTensor:$target,
    Optional<Graph_FloatTensor>:$weight,
    DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing), reductionArgument);
  let syntax = "$logits `,` $target (`weight` $weight^)? " #
    "(`label_smoothing` `=` custom<RealAttr>($label_smoothing)^)? " # reductionFormat;
  let extraClassDeclaration = [{
    bool takesMixedTypes() { return true; }
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_LOSS_TD
