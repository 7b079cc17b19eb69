// Family Reduction: formulas of the composites.
#include "Formula.h"

using namespace mpc;
using namespace mpc::graph;

/// sum(x) / n in the compute type of the result.
SmallVector<Value> MeanOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  auto resultType = mlir::cast<RankedTensorType>(getResult().getType());
  Value x = f.wide(f.cast(getInput(), resultType.getElementType()));
  auto type = mlir::cast<RankedTensorType>(x.getType());
  int64_t count = 1;
  for (int64_t dim : getDims())
    count *= type.getDimSize(dim);
  Value sum = SumOp::create(builder, x, getDims(), getKeepDims(),
                            /*dtype=*/mlir::TypeAttr());
  Value mean = f.div(sum, f.like(x, double(count)));
  return {f.cast(mean, resultType.getElementType())};
}

/// sqrt(sum over tensors and elements of x^2)
SmallVector<Value>
GlobalNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f32 = builder.getF32Type();
  Value total = f.constant(0.0, f32);
  for (Value input : getInputs()) {
    auto type = mlir::cast<RankedTensorType>(input.getType());
    Value x = f.reshape(input, getFoldShape(type.getShape()));
    total = f.add(total, f.cast(f.sumAll(f.mul(x, x)), f32));
  }
  return {f.sqrt(total)};
}
