#include "Integers.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

namespace {
struct Division {
  Expr quotient, rest;
};
} // namespace

static bool areIntegers(Node &n, Expr a, Expr b) {
  if (!a || !b)
    return false;
  Type type = a.elementType();
  if (type == b.elementType() && (type.isInteger(32) || type.isInteger(64)))
    return true;
  (void)n.refuse("expected int32 or int64, but got " +
                 nameOf(dataTypeOf(type)));
  return false;
}

/// -|x|, which the smallest integer has, too.
static Expr negativeSize(Node &n, Expr x) {
  return n.select(expr::less(x, 0.0), x, -x);
}

/// a / b in f64, whole, and within what int64 has.
static Expr estimate(Node &n, Expr a, Expr b) {
  constexpr double largest = 0x1.fffffffffffffp62;
  Type f64 = n.builder.getF64Type();
  Expr quotient = n.op("div", {n.cast(a, f64), n.cast(b, f64)});
  if (!quotient)
    return {};
  quotient = expr::maximum(expr::minimum(quotient, largest), -largest);
  return n.cast(quotient, a.elementType());
}

/// f64 has the quotients of int32. Those of int64 it misses by up to 2^11, and
/// by one where it divides what is left once more; a sign or a size of the rest
/// that cannot be tells that.
static Division divide(Node &n, Expr a, Expr b) {
  Expr quotient = estimate(n, a, b);
  if (!quotient)
    return {};
  Expr rest = a - quotient * b;
  if (a.elementType().isInteger(32))
    return {quotient, rest};
  Expr more = estimate(n, rest, b);
  if (!more)
    return {};
  quotient = quotient + more;
  rest = rest - more * b;
  Expr isNegative = expr::less(a, 0.0);
  Expr isOpposite = n.select(isNegative, n.compare("ge", b, b.constant(0)),
                             expr::less(b, 0.0));
  Expr up = n.select(isOpposite, quotient.constant(-1), quotient.constant(1));
  Expr isBeyond =
      n.select(isNegative, expr::greater(rest, 0.0), expr::less(rest, 0.0));
  Expr isShort = expr::lessEqual(negativeSize(n, rest), negativeSize(n, b));
  Expr step =
      n.select(isBeyond, -up, n.select(isShort, up, quotient.constant(0)));
  if (!step)
    return {};
  return {quotient + step, rest - step * b};
}

Expr mpc::onnx::quotientOf(Node &n, Expr a, Expr b) {
  return areIntegers(n, a, b) ? divide(n, a, b).quotient : Expr();
}

Expr mpc::onnx::remainderOf(Node &n, Expr a, Expr b, bool isFloored) {
  Expr rest = areIntegers(n, a, b) ? divide(n, a, b).rest : Expr();
  if (!rest || !isFloored)
    return rest;
  Expr isOther = n.select(expr::less(b, 0.0), expr::greater(rest, 0.0),
                          expr::less(rest, 0.0));
  return n.select(isOther, rest + b, rest);
}
