// Family Random: the computation of one element.
#include "mpc/Dialect/Graph/IR/Ops/Random.h"
#include "Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;

namespace {
/// The halves of a 64-bit product of unsigned 32-bit words: {low, high}.
std::pair<Value, Value> multiplyWide(Body &b, Value x, uint32_t factor) {
  auto product = arith::MulUIExtendedOp::create(
      b, x, constant(b, x, static_cast<int32_t>(factor)));
  return {product.getLow(), product.getHigh()};
}

Value exclusiveOr(Body &b, Value x, Value y, Value z) {
  return arith::XOrIOp::create(b, arith::XOrIOp::create(b, x, y), z);
}

/// Ten rounds of Philox4x32; `counter` becomes the random words.
void philox(Body &b, std::array<Value, 4> &counter, std::array<Value, 2> key) {
  auto raise = [&](Value &word, uint32_t by) {
    word = arith::AddIOp::create(b, word,
                                 constant(b, word, static_cast<int32_t>(by)));
  };
  for (int round = 0; round < 10; ++round) {
    auto [low0, high0] = multiplyWide(b, counter[0], 0xD2511F53);
    auto [low2, high2] = multiplyWide(b, counter[2], 0xCD9E8D57);
    counter = {exclusiveOr(b, high2, counter[1], key[0]), low2,
               exclusiveOr(b, high0, counter[3], key[1]), low0};
    raise(key[0], 0x9E3779B9);
    raise(key[1], 0xBB67AE85);
  }
}
} // namespace

SmallVector<Value> PhiloxOp::buildBodies(Body &b, ValueRange args) {
  std::array<Value, 4> counter{args[0], args[1], args[2], args[3]};
  philox(b, counter, {args[4], args[5]});
  return llvm::to_vector(counter);
}

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
