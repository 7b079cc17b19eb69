// Family Rounding: the computation of one element.
#include "mpc/Dialect/Graph/IR/Ops/Rounding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;
using Body = mlir::ImplicitLocOpBuilder;

// On the bits of the f32: a carry out of the low half makes the number the next
// one of bf16, in magnitude, also into the next power of two.
Value RandomRoundOp::buildBody(Body &b, ValueRange args) {
  Type i32 = args[1].getType();
  auto number = [&](uint32_t value) {
    return mlir::createScalarOrSplatConstant(b, b.getLoc(), i32,
                                             static_cast<int32_t>(value));
  };
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, x, y);
  };
  Value exponent = number(0x7F800000), upper = number(0xFFFF0000);
  Value input = arith::BitcastOp::create(b, i32, args[0]);
  Value sum = arith::AddIOp::create(b, input, both(args[1], number(0xFFFF)));
  Value isInfinite = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                           both(sum, exponent), exponent);
  Value chosen =
      both(arith::SelectOp::create(b, isInfinite, input, sum), upper);
  Value rounded = arith::BitcastOp::create(b, args[0].getType(), chosen);
  Value isNan =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, args[0], args[0]);
  return arith::SelectOp::create(b, isNan, args[0], rounded);
}
