#include "Decomposition.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;

Decomposition::Decomposition(mlir::ImplicitLocOpBuilder &builder, Operation *op)
    : builder(builder), reason(builder.getStringAttr(
                            "decomposed: " + op->getName().stripDialect())) {}

Expr Decomposition::constant(Type element, double number) const {
  return expr::constant(builder, element, number);
}

Expr Decomposition::castTo(Value value, Type element) const {
  return expr::castTo({builder, value}, element, reason);
}

Expr Decomposition::wide(Value value) const {
  return castTo(value, getComputeType(mlir::getElementTypeOrSelf(value)));
}

Expr Decomposition::wide(Value value, Type element) const {
  Expr x = wide(value);
  return element.isF64() ? castTo(x, element) : x;
}

static SmallVector<int64_t> getFoldShape(ArrayRef<int64_t> shape) {
  constexpr int64_t kLongest = 1024, kShortest = 64;
  if (shape.size() == 1 && shape[0] >= 2 * kLongest)
    for (int64_t row = kLongest; row >= kShortest; row /= 2)
      if (shape[0] % row == 0)
        return {shape[0] / row, row};
  return SmallVector<int64_t>(shape);
}

Expr graph::inFoldShape(Expr x) { return reshape(x, getFoldShape(x.shape())); }
