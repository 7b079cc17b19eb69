// Family Cast of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// Towards zero; NaN is 0 and what does not fit becomes the nearest integer
/// that does.
static int64_t toInteger(DType type, double value) {
  if (type == DType::I1)
    return value != 0;
  double low = type == DType::I32 ? -0x1p31 : -0x1p63;
  if (std::isnan(value))
    return 0;
  if (value <= low)
    return static_cast<int64_t>(low);
  if (value >= -low)
    return type == DType::I32 ? std::numeric_limits<int32_t>::max()
                              : std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

static Answer castElements(Operands in, Results out) {
  for (size_t i = 0; i < out[0].size(); ++i)
    if (out[0].isFloat())
      out[0].reals[i] = in[0]->value(i);
    else if (in[0]->isFloat())
      out[0].ints[i] = toInteger(out[0].type, in[0]->reals[i]);
    else if (out[0].type == DType::I1)
      out[0].ints[i] = in[0]->ints[i] != 0;
    else
      out[0].ints[i] = wrapTo(out[0].type, in[0]->ints[i]);
  return success();
}

Answer reference::evaluateCast(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::CastOp>([&](auto) { return castElements(in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
