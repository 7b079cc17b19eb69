// Family Contraction: products summed over a shared dim; library calls.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CONTRACTION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_CONTRACTION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

def Graph_MatmulOp : Graph_InferredOp<"matmul", Allow,
    AutocastLists<LowerPrecisionFp, LowerPrecisionFp, LowerPrecisionFp,
                  TfAllow, TfAllow>, HasVjp,
    [IsLibraryCall, SumsProducts, CompositeAtTimes, AllElementTypesMatch<["lhs", "rhs"]>,
     AlsoCalled<["linear", "gemm", "bmm", "addmm"]>]> {
  let summary = "matrix product over the last two dims, batched over the others";
  let description = [{
    The last two dims are matrices, [m, k] times [k, n]; a flag says that an
    operand is stored transposed. The other dims are batch dims and broadcast.
    Products of f16 and bf16 are accumulated in f32 and rounded once; f64 is
    accumulated in f64. `dtype` is the element type of the result, by default
    the operands'. Libraries yield f32 beside it; to another type the product is
    rounded from f32.

    A bias has an element for each column, and a missing one is 0. It is added to
    the product as that is accumulated, and the sum is rounded once: a linear layer
    (PyTorch's `linear`) is this op, whose three operands autocast casts. A bias
    that the model has in another type than the operands, as one in f32 beside
    operands in bf16, keeps that. What is not to be rounded with the product is an
    `add` behind it.

    `result[..., i, j] = sum_k lhs[..., i, k] * rhs[..., k, j] + bias[j]`

    - C1: both operands have rank 2 or more
    - C2: the contracting dims have one size
    - C3: the batch dims broadcast
    - C4: `lhs` and `rhs` have one element type
    - C5: `dtype` is f64 exactly if the operands are
    - C6: the bias has rank 1 and an element for each column of the result
    - C7: the bias is f64 exactly if the operands are

    ```mlir
    %c = graph.matmul %a, %b transpose_rhs dtype = f32 : (tensor<5x4x8xbf16>, tensor<16x8xbf16>) -> tensor<5x4x16xf32>
    %y = graph.matmul %x, %w bias %d : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$lhs, Graph_FloatTensor:$rhs,
                       Optional<Graph_FloatTensor>:$bias,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       Graph_DTypeAttr:$dtype);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $lhs `,` $rhs (`bias` $bias^)? (`transpose_lhs` $transpose_lhs^)?
    (`transpose_rhs` $transpose_rhs^)? (`dtype` `=` $dtype^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// AutocastOpInterface: a bias of another type than the operands keeps it.
    bool isRetypeable(unsigned index);
  }];
  let hasCanonicalizeMethod = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_CONTRACTION_TD
