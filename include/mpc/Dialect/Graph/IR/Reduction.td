// Family Reduction: fold elements along dims.
#ifndef MPC_DIALECT_GRAPH_IR_REDUCTION_TD
#define MPC_DIALECT_GRAPH_IR_REDUCTION_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_IsReduction : TraitList<[DeclareOpInterfaceMethods<ReductionOpInterface>]>;

class Graph_ReductionOp<string mnemonic, Autocast policy, TorchAutocast torch,
                        list<Trait> traits, Type operand, dag extra = (ins)>
    : Graph_InferredOp<mnemonic, policy, torch, HasVjp, traits> {
  let arguments = !con((ins operand:$input, DenseI64ArrayAttr:$dims,
                            UnitAttr:$keep_dims), extra);
  let results = (outs operand:$result);
}

def Graph_SumOp : Graph_ReductionOp<"sum", DenyIO, TorchAutocast<Fp32SetOptDtype, Fallthrough>,
    [Graph_IsReduction], Graph_NumberTensor, (ins OptionalAttr<TypeAttr>:$dtype)> {
  let summary = "sum over dims";
  let assemblyFormat = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? (`dtype` `=` $dtype^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_MeanOp : Graph_ReductionOp<"mean", DenyIO, Unlisted, [Composite],
    Graph_FloatTensor, (ins OptionalAttr<TypeAttr>:$dtype)> {
  let summary = "mean over dims";
  let assemblyFormat = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? (`dtype` `=` $dtype^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_MaxOp : Graph_ReductionOp<"max", Clear, Unlisted, [Graph_IsReduction],
    Graph_NumberTensor> {
  let summary = "maximum over dims";
  let assemblyFormat = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_GlobalNormOp : Graph_InferredOp<"global_norm", Deny, Unlisted, NoGradient,
                                          [Composite]> {
  let summary = "Euclidean norm of several tensors taken as one vector";
  let arguments = (ins Variadic<Graph_WideTensor>:$inputs);
  let results = (outs Graph_F32Scalar:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

#endif // MPC_DIALECT_GRAPH_IR_REDUCTION_TD
