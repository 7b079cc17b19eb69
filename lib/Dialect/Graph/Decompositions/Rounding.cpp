// Family Rounding: formulas of the roundings of 16-bit parameters.
#include "mpc/Dialect/Graph/IR/Ops/Rounding.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// u = c + (next - p);  p' = round(p + u);  c' = round(u - (p' - p))
SmallVector<Value>
KahanRoundOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type narrow = mlir::getElementTypeOrSelf(getParameter());
  Expr p = d.wide(getParameter());
  Expr u = d.wide(getCompensation()) + (d(getNext()) - p);
  Expr rounded = d.castTo(p + u, narrow);
  Expr lost = u - (d.wide(rounded) - p);
  return {rounded, d.castTo(lost, narrow)};
}

/// random_round(x, philox(index, step, 0, 0; seed, stream))
SmallVector<Value>
StochasticRoundOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  auto type = mlir::cast<RankedTensorType>(getInput().getType());
  Type i32 = builder.getI32Type();
  Expr zero = d.constant(i32, 0), index = zero;
  int64_t stride = 1;
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    Expr position = d(IotaOp::create(builder, type.clone(i32), dim));
    // Modulo 2^32, as the stride of a tensor of more elements would be.
    index = position * static_cast<int32_t>(stride) + index;
    stride *= type.getDimSize(dim);
  }
  auto bits =
      PhiloxOp::create(builder, index, getStep(), zero, zero, getSeed(),
                       d.constant(i32, static_cast<int32_t>(getStream())));
  return {
      RandomRoundOp::create(builder, getType(), getInput(), bits.getWord0())};
}
