// Family Loss: one f32 (or f64) number from predictions and targets.
#ifndef MPC_DIALECT_GRAPH_IR_LOSS_TD
#define MPC_DIALECT_GRAPH_IR_LOSS_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_CrossEntropyOp : Graph_InferredOp<"cross_entropy", Deny,
    TorchAutocast<Fp32, Fp32>, HasVjp, [Composite]> {
  let summary = "negative log likelihood of labels under softmax of logits";
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IntTensor:$labels,
    Optional<Graph_BoolTensor>:$mask,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
    DefaultValuedAttr<Graph_LossReductionAttr, "::mpc::graph::LossReduction::Mean">:$reduction);
  let results = (outs Graph_WideScalar:$loss);
  let assemblyFormat = [{
    $logits `,` $labels (`mask` $mask^)? (`ignore_index` `=` $ignore_index^)?
    (`reduction` `=` $reduction^)? attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_MseOp : Graph_InferredOp<"mse", Deny, TorchAutocast<Fp32, Fp32>, HasVjp,
                                   [Composite, SameOperandsElementType]> {
  let summary = "mean (or sum) of squared differences";
  let arguments = (ins Graph_FloatTensor:$prediction, Graph_FloatTensor:$target,
    DefaultValuedAttr<Graph_LossReductionAttr, "::mpc::graph::LossReduction::Mean">:$reduction);
  let results = (outs Graph_WideScalar:$loss);
  let assemblyFormat = [{
    $prediction `,` $target (`reduction` `=` $reduction^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_LOSS_TD
