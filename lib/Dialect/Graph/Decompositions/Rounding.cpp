// Family Rounding: formulas of the roundings of 16-bit parameters.
#include "mpc/Dialect/Graph/IR/Ops/Rounding.h"
#include "Formula.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;

/// u = c + (next - p);  p' = round(p + u);  c' = round(u - (p' - p))
SmallVector<Value>
KahanRoundOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type narrow = mlir::getElementTypeOrSelf(getParameter());
  Value p = f.wide(getParameter());
  Value u = f.add(f.wide(getCompensation()), f.sub(getNext(), p));
  Value rounded = f.cast(f.add(p, u), narrow);
  Value lost = f.sub(u, f.sub(f.wide(rounded), p));
  return {rounded, f.cast(lost, narrow)};
}

/// random_round(x, philox(index, step, 0, 0; seed, stream))
SmallVector<Value>
StochasticRoundOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  auto type = mlir::cast<RankedTensorType>(getInput().getType());
  Type i32 = builder.getI32Type();
  auto indices = type.clone(i32);
  Value zero = f.constant(0, i32), index = zero;
  int64_t stride = 1;
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    Value position = IotaOp::create(builder, indices, dim);
    // Modulo 2^32, as the stride of a tensor of more elements would be.
    Value factor = f.constant(static_cast<int32_t>(stride), i32);
    index = f.add(f.mul(position, factor), index);
    stride *= type.getDimSize(dim);
  }
  if (type.getRank() == 0)
    index = zero;
  Value bits =
      PhiloxOp::create(builder, index, getStep(), zero, zero, getSeed(),
                       f.constant(static_cast<int32_t>(getStream()), i32),
                       builder.getI64IntegerAttr(0));
  return {RandomRoundOp::create(builder, getType(), getInput(), bits)};
}
