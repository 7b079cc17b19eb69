// Family Contraction: canonical forms.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "Bias.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;

/// The input of a transpose that swaps just the two dims of the matrices.
static Value getSwappedMatrix(Value operand) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose)
    return {};
  SmallVector<int64_t> swapped(transpose.getPermutation());
  std::swap(swapped[swapped.size() - 2], swapped[swapped.size() - 1]);
  return llvm::equal(swapped, llvm::seq<int64_t>(0, swapped.size()))
             ? transpose.getInput()
             : Value();
}

/// matmul(transpose(a), b) -> matmul(a, b) transpose_lhs, and for b alike: the
/// library reads either layout. And without a bias of zeros.
LogicalResult MatmulOp::canonicalize(MatmulOp op, PatternRewriter &rewriter) {
  Value lhs = getSwappedMatrix(op.getLhs()),
        rhs = getSwappedMatrix(op.getRhs());
  if (!lhs && !rhs)
    return dropZeroBias(op, rewriter);
  rewriter.modifyOpInPlace(op, [&] {
    if (lhs) {
      op.getLhsMutable().assign(lhs);
      op.setTransposeLhs(!op.getTransposeLhs());
    }
    if (rhs) {
      op.getRhsMutable().assign(rhs);
      op.setTransposeRhs(!op.getTransposeRhs());
    }
  });
  return success();
}
