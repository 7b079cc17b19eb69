#include "Rule.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

Expr gradient::operand(GradientBuilder &g, unsigned index) {
  return {g.builder(), g.operand(index)};
}
Expr gradient::result(GradientBuilder &g, unsigned index) {
  return {g.builder(), g.result(index)};
}
Expr gradient::cotangent(GradientBuilder &g, unsigned index) {
  return {g.builder(), g.cotangent(index)};
}

Expr gradient::computedIn(Expr x, Type element) {
  std::string reason = "gradient computed in " + toString(element);
  return castTo(x, element, x.builder().getStringAttr(reason));
}

Expr gradient::widened(Expr x) {
  return x.elementType().isF64() ? x : computedIn(x, x.builder().getF32Type());
}
