// What a constant loses when it is rounded to a narrower float type.
//
// IEEE 754's own words decide: a constant is lost when rounding raises
// *overflow* (a finite value becomes infinite: -1e9 in f16) or *underflow* (a
// value below the smallest normal number cannot be represented exactly: 1e-8 in
// f16 becomes zero, 1e-5 keeps 8 of its 11 bits). Rounding inside the normal
// range is what the narrow type is for and is no loss. Infinities, NaN and zero
// stay what they are.
#ifndef MPC_DIALECT_GRAPH_PRECISION_CONSTANTRANGE_H
#define MPC_DIALECT_GRAPH_PRECISION_CONSTANTRANGE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

enum class RangeLoss { None, Overflow, Underflow };

struct RangeFinding {
  RangeLoss loss = RangeLoss::None;
  double value = 0; ///< The element that is lost.

  explicit operator bool() const { return loss != RangeLoss::None; }
};

/// The worst that happens to an element of `value` when it is rounded to `to`:
/// overflow before underflow. Attributes without float elements lose nothing.
RangeFinding findRangeLoss(mlir::ElementsAttr value, FloatType to);
/// The same of `numbers`.
RangeFinding findRangeLoss(ArrayRef<llvm::APFloat> numbers, FloatType to);

/// "constant -1e+09 overflows f16"
std::string describe(RangeFinding finding, FloatType to);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_CONSTANTRANGE_H
