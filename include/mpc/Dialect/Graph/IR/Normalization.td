// Family Normalization: rows rescaled by their own statistics.
#ifndef MPC_DIALECT_GRAPH_IR_NORMALIZATION_TD
#define MPC_DIALECT_GRAPH_IR_NORMALIZATION_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

class Graph_SoftmaxLikeOp<string mnemonic>
    : Graph_InferredOp<mnemonic, DenyIO, TorchAutocast<Fp32SetOptDtype, Fallthrough>,
                       HasVjp, [Composite]> {
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$dim,
                       OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `dim` `=` $dim (`dtype` `=` $dtype^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax"> {
  let summary = "exponentials that sum to one along a dim";
}
def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax"> {
  let summary = "logarithm of softmax along a dim";
}

def Graph_LayerNormOp : Graph_InferredOp<"layer_norm", DenyIO,
    TorchAutocast<Fp32, Fallthrough>, HasVjp, [Composite, AttrSizedOperandSegments]> {
  let summary = "rows with mean 0 and variance 1, then scaled and shifted";
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias, I64Attr:$first_dim,
                       DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `first_dim` `=` $first_dim
    (`epsilon` `=` $epsilon^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_NORMALIZATION_TD
