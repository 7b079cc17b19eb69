// Family Contraction: products summed over a shared dim; library calls.
#ifndef MPC_DIALECT_GRAPH_IR_CONTRACTION_TD
#define MPC_DIALECT_GRAPH_IR_CONTRACTION_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_MatmulOp : Graph_InferredOp<"matmul", Allow,
    TorchAutocast<LowerPrecisionFp, LowerPrecisionFp>, HasVjp,
    [IsLibraryCall, SameOperandsElementType]> {
  let summary = "matrix product over the last two dims, batched over the others";
  let arguments = (ins Graph_FloatTensor:$lhs, Graph_FloatTensor:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)?
    (`dtype` `=` $dtype^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_CONTRACTION_TD
