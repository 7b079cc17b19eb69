#include "Approximations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mpc;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace math = mlir::math;

static bool isNarrow(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  return type && type.getWidth() <= 16;
}

/// The sweep that folds the operands of `op`; 0: it folds none of a row.
static unsigned getFoldingSweep(Operation &op,
                                const graph::KernelShape &shape) {
  unsigned depth =
      op.getNumResults() ? shape.depths.lookup(op.getResult(0)) : 0;
  bool folds = llvm::all_of(op.getOperands(), [&](Value operand) {
    return shape.depths.lookup(operand) < depth;
  });
  return folds ? depth : 0;
}

/// An integer or a flag that is made of a number is never rounded either.
emit::Approximations::Approximations(Block &body,
                                     const graph::KernelShape &shape) {
  for (Operation &op : llvm::reverse(body)) {
    unsigned last = op.hasTrait<mlir::OpTrait::IsTerminator>() ? UINT_MAX : 0;
    for (Value result : op.getResults())
      last = std::max(last, isWideUntil.lookup(result));
    if (unsigned sweep = getFoldingSweep(op, shape))
      last = std::min(last, sweep);
    for (Value operand : op.getOperands())
      if (last && !isNarrow(operand))
        isWideUntil[operand] = std::max(isWideUntil[operand], last);
  }
}

bool emit::Approximations::allow(Operation *op, unsigned sweep) const {
  return llvm::all_of(op->getResults(), [&](Value result) {
    unsigned last = isWideUntil.lookup(result);
    return last == 0 || last < sweep;
  });
}

/// An exponential is then off by 1e-5 of itself at most, one which is not
/// normal may become 0, and an error function is off by 5e-6 (docs/Precision.md
/// says how far on which target): fractions of what rounding to 16 bits is off
/// by.
static void mark(Operation *op) {
  if (op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0)).isF32())
    return;
  if (auto exp = dyn_cast<math::ExpOp>(op))
    exp.setFastmath(arith::FastMathFlags::afn);
  else if (auto erf = dyn_cast<math::ErfOp>(op))
    erf.setFastmath(arith::FastMathFlags::afn);
}

void emit::buildApproximately(mlir::ImplicitLocOpBuilder &b, bool isAllowed,
                              function_ref<void()> build) {
  Block::iterator end = b.getInsertionPoint();
  Block &block = *b.getInsertionBlock();
  Operation *last = end == block.begin() ? nullptr : &*std::prev(end);
  build();
  if (!isAllowed)
    return;
  for (Operation &op : llvm::make_range(
           last ? std::next(Block::iterator(last)) : block.begin(), end))
    mark(&op);
}

/// Whether 1 is added to `erf` wherever it is used, as GELU does: then what
/// matters is how far it is off, not the digits of what is near 0.
static bool isAddedToOne(math::ErfOp erf) {
  return llvm::all_of(erf->getUsers(), [&](Operation *user) {
    auto add = dyn_cast<arith::AddFOp>(user);
    Value other = !add                  ? Value()
                  : add.getLhs() == erf ? add.getRhs()
                                        : add.getLhs();
    return other && mlir::matchPattern(other, mlir::m_OneFloat());
  });
}

void emit::keepDigitsNearZero(Operation *kernel) {
  kernel->walk([](math::ErfOp erf) {
    if (!isAddedToOne(erf))
      erf.setFastmath(arith::FastMathFlags::none);
  });
}
