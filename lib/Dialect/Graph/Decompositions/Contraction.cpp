// Family Contraction: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "Decomposition.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;
using namespace mpc::graph;

/// Libraries yield the operands' type, or the one that they accumulate in.
static bool isRounded(MatmulOp op) {
  Type operand = elementOf(op.getLhs()), result = elementOf(op.getResult());
  return result != operand && result != getComputeType(operand);
}

/// Whether the product of `op` is that of another op, too: equal ones become
/// one, which then has two readers and takes the bias of neither along.
static bool sharesProduct(MatmulOp op) {
  return llvm::any_of(op.getLhs().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<MatmulOp>(user);
    return other && other != op && other.getLhs() == op.getLhs() &&
           other.getRhs() == op.getRhs() &&
           other.getTransposeLhs() == op.getTransposeLhs() &&
           other.getTransposeRhs() == op.getTransposeRhs();
  });
}

/// Whether a sum of 16 bits behind a product of 16 bits will be an epilogue of
/// its call, so that the product is not rounded (Analysis/LibraryCalls.h).
static bool isAddedByLibrary(MatmulOp op) {
  Type element = elementOf(op.getLhs());
  auto function = op->getParentOfType<mlir::func::FuncOp>();
  return elementOf(op.getResult()) == element &&
         elementOf(op.getBias()) == element &&
         (!function || !roundsStrictly(function)) &&
         op.supportsEpilogue(getTarget(op), Epilogue::Bias) &&
         !matchPattern(op.getBias(), mlir::m_Constant()) && !sharesProduct(op);
}

bool MatmulOp::isComposite() { return getBias() || isRounded(*this); }

/// The product as it is accumulated, and the bias, rounded. What is asked of
/// the op (to be computed in chunks) is asked of its product.
SmallVector<Value> MatmulOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type operand = elementOf(getLhs()), result = elementOf(getResult());
  auto multiply = [&](Type element) {
    auto dtype =
        element == operand ? mlir::TypeAttr() : mlir::TypeAttr::get(element);
    auto product =
        MatmulOp::create(builder, getLhs(), getRhs(), Value(),
                         getTransposeLhs(), getTransposeRhs(), dtype);
    product->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
    return d(product);
  };
  if (getBias() && isAddedByLibrary(*this))
    return {multiply(operand) + d(getBias())};
  Type wide = getComputeType(operand);
  Expr sum = multiply(wide);
  if (getBias())
    sum = sum + d.castTo(getBias(), wide);
  return {d.castTo(sum, result)};
}
