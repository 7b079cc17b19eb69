// Family Contraction: gradient rules. Transposes are flags, never ops.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "Bias.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

/// A stack of matrices as one matrix of all their rows.
static Expr stackRows(Expr x) {
  int64_t columns = x.shape().back();
  return reshape(x, {x.numElements() / columns, columns});
}

// With A' and B' the operands after their transpose flags, C = A' B':
//   dA' = dC B'^T       dA = dA'^T = B' dC^T if A is transposed
//   dB' = A'^T dC       dB = dB'^T = dC^T A' if B is transposed
// The cotangent of a bias is dC, summed for each column.
// Batch dims that only one operand has are summed by the engine; for the
// common B of rank 2 the sum is part of the product.
LogicalResult MatmulOp::buildVjp(GradientBuilder &g) {
  bool ta = getTransposeLhs(), tb = getTransposeRhs();
  Type element = mlir::getElementTypeOrSelf(getLhs());
  if (getBias())
    setBiasCotangent(g, getBias(), getType().getRank() - 1);
  Expr dc = computedIn(cotangent(g), element);
  if (g.needs(0)) {
    Expr b = operand(g, 1);
    g.set(0, ta ? matmul(b, tb, dc, true) : matmul(dc, false, b, !tb));
  }
  if (g.needs(1)) {
    Expr a = operand(g, 0);
    bool rowsStack = getRhs().getType().getRank() == 2 && a.rank() > 2 && !ta;
    if (rowsStack) {
      a = stackRows(a);
      dc = stackRows(dc);
    }
    g.set(1, tb ? matmul(dc, true, a, ta) : matmul(a, !ta, dc, false));
  }
  return success();
}
