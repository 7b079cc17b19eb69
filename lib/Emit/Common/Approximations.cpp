#include "Approximations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mpc;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// Whether all of the largest tensors have 16 bits or less, and one is of
/// floating-point numbers.
static bool storesHalves(Block &body) {
  int64_t largest = 0;
  bool hasHalves = false, hasOthers = false;
  for (Value value : llvm::concat<Value>(body.getArguments(),
                                         body.getTerminator()->getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getNumElements() > largest)
      hasHalves = hasOthers = false;
    largest = std::max(largest, type.getNumElements());
    if (type.getNumElements() == largest &&
        isa<FloatType>(type.getElementType()))
      (type.getElementTypeBitWidth() <= 16 ? hasHalves : hasOthers) = true;
  }
  return hasHalves && !hasOthers;
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

/// An exponential is then off by 1e-5 of itself at most, one which is not
/// normal may become 0, and an error function is off by 5e-6 (docs/Precision.md
/// says how far on which target): fractions of what rounding the largest
/// results to 16 bits is off by. Smaller ones in f32 are off as much.
void emit::markApproximations(Operation *kernel, Block &body) {
  if (!storesHalves(body))
    return;
  kernel->walk([](Operation *op) {
    auto exp = dyn_cast<math::ExpOp>(op);
    auto erf = dyn_cast<math::ErfOp>(op);
    if ((!exp && !erf) || !getElementTypeOrSelf(op->getResult(0)).isF32())
      return;
    if (exp)
      exp.setFastmath(arith::FastMathFlags::afn);
    else if (isAddedToOne(erf))
      erf.setFastmath(arith::FastMathFlags::afn);
  });
}
