// Family Recurrent: gradient rules. A backward op gives the gradients of the
// sums under the gates in all steps; of these, what is left is one product for
// each weight and one for the input.
#include "mpc/Dialect/Graph/IR/Ops/Time/Recurrent.h"
#include "Rule.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

namespace {
/// The number of an optional operand, if it is there.
std::optional<unsigned> numberOf(mlir::MutableOperandRange operand) {
  return operand.empty() ? std::nullopt
                         : std::optional(operand[0].getOperandNumber());
}

/// All but the last dim in one.
Expr stackRows(Expr x) {
  int64_t columns = x.shape().back();
  return reshape(x, {x.numElements() / columns, columns});
}

Expr takeRows(Expr x, int64_t first, int64_t count) {
  return slice(x, {first, 0}, {count, x.shape()[1]});
}

template <typename Op> class LayerGradient {
public:
  LayerGradient(GradientBuilder &g, Op op)
      : g(g), op(op), input(op.getInputMutable().getOperandNumber()),
        inputWeight(op.getInputWeightMutable().getOperandNumber()),
        stateWeight(op.getStateWeightMutable().getOperandNumber()),
        inputBias(numberOf(op.getInputBiasMutable())),
        stateBias(numberOf(op.getStateBiasMutable())),
        initial(numberOf(op.getInitialMutable())) {}

  /// Nobody may read what only the backward knows how to use.
  LogicalResult checkKept(ArrayRef<unsigned> kept) {
    for (unsigned result : kept)
      if (!mlir::matchPattern(g.cotangent(result), mlir::m_AnyZeroFloat()))
        return op->emitOpError("expected nothing that is differentiated to "
                               "depend on result ")
               << result
               << ", which is kept for the backward and has no gradient; use "
                  "the output, or the last state";
    return success();
  }

  /// Time first.
  Expr timeFirst(Expr x) {
    return op.getBatchFirst() ? transpose(x, {1, 0, 2}) : x;
  }
  Expr outputCotangent() { return timeFirst(cotangent(g, 0)); }
  Value weight() { return g.operand(stateWeight); }
  Value lengths() { return given(numberOf(op.getLengthsMutable())); }
  Value given(std::optional<unsigned> number) {
    return number ? g.operand(*number) : Value();
  }

  void setInput(Expr sums) {
    Expr rows = stackRows(sums), x = operand(g, input);
    if (g.needs(input)) {
      Expr dx = matmul(rows, false, operand(g, inputWeight), false);
      ArrayRef<int64_t> time = sums.shape();
      g.set(input,
            timeFirst(reshape(dx, {time[0], time[1], x.shape().back()})));
    }
    if (g.needs(inputWeight))
      g.set(inputWeight, matmul(rows, true, stackRows(timeFirst(x)), false));
    setBias(inputBias, rows);
  }

  /// The states are result number `states`.
  void setState(Expr sums, unsigned states) {
    if (g.needs(stateWeight))
      g.set(stateWeight, sumProducts(sums, result(g, states)));
    setBias(stateBias, stackRows(sums));
  }

  /// The same where `reset`, of each step, multiplies the state in front of the
  /// last of three products.
  void setResetState(Expr sums, unsigned states, Expr reset) {
    int64_t width = reset.shape()[2], rows = reset.numElements() / width;
    if (g.needs(stateWeight)) {
      Expr before = findBefore(result(g, states)), all = stackRows(sums);
      Expr two = slice(all, {0, 0}, {rows, 2 * width}),
           third = slice(all, {0, 2 * width}, {rows, width});
      Value parts[] = {matmul(two, true, before, false),
                       matmul(third, true, stackRows(reset) * before, false)};
      g.set(stateWeight, ConcatOp::create(g.builder(), parts, 0));
    }
    setBias(stateBias, stackRows(sums));
  }

  /// Products of the gradients of sums of each step and the state before it.
  Expr sumProducts(Expr sums, Expr states) {
    int64_t steps = states.shape()[0], batch = states.shape()[1];
    Expr rows = stackRows(sums), before = stackRows(states);
    int64_t others = (steps - 1) * batch;
    bool reverse = op.getReverse();
    if (initial)
      return matmul(rows, true, findBefore(states), false);
    if (!others) // The one step begins with zeros.
      return makeZeros(rows.shape()[1], before.shape()[1],
                       before.elementType());
    return matmul(takeRows(rows, reverse ? 0 : batch, others), true,
                  takeRows(before, reverse ? batch : 0, others), false);
  }

  /// Rows of the states before each step.
  Expr findBefore(Expr states) {
    int64_t steps = states.shape()[0], batch = states.shape()[1];
    Expr rows = stackRows(states);
    Expr first = initial
                     ? operand(g, *initial)
                     : makeZeros(batch, rows.shape()[1], rows.elementType());
    SmallVector<Value> parts = {first};
    bool reverse = op.getReverse();
    if (steps > 1)
      parts.insert(reverse ? parts.begin() : parts.end(),
                   takeRows(rows, reverse ? batch : 0, (steps - 1) * batch));
    return {g.builder(), ConcatOp::create(g.builder(), parts, 0)};
  }

  Expr makeZeros(int64_t rows, int64_t columns, Type element) {
    auto type = RankedTensorType::get({rows, columns}, element);
    auto zeros = cast<mlir::ElementsAttr>(g.builder().getZeroAttr(type));
    return {g.builder(), ConstantOp::create(g.builder(), zeros)};
  }

  void set(std::optional<unsigned> number, Value value) {
    if (number)
      g.set(*number, value);
  }

  GradientBuilder &g;
  Op op;
  unsigned input, inputWeight, stateWeight; ///< Numbers of operands.
  std::optional<unsigned> inputBias, stateBias, initial;

private:
  void setBias(std::optional<unsigned> bias, Expr rows) {
    if (bias && g.needs(*bias))
      g.set(*bias, reshape(sum(widened(rows), {0}), {rows.shape()[1]}));
  }
};
} // namespace

LogicalResult RnnOp::buildVjp(GradientBuilder &g) {
  LayerGradient layer(g, *this);
  if (failed(layer.checkKept({2})))
    return failure();
  auto backward = RnnBackwardOp::create(
      g.builder(), layer.weight(), g.result(2), layer.lengths(),
      layer.outputCotangent(), g.cotangent(1), getReverse(), getRelu());
  Expr sums(g.builder(), backward.getSums());
  layer.setInput(sums);
  layer.setState(sums, 2);
  layer.set(layer.initial, backward.getFirst());
  return success();
}

LogicalResult LstmOp::buildVjp(GradientBuilder &g) {
  LayerGradient layer(g, *this);
  if (failed(layer.checkKept({3, 4, 5})))
    return failure();
  auto cell = numberOf(getInitialCellMutable());
  auto backward = LstmBackwardOp::create(
      g.builder(), layer.weight(), g.result(4), g.result(5), layer.given(cell),
      layer.lengths(), layer.outputCotangent(), g.cotangent(1), getReverse(),
      getOnnxOrder(), g.cotangent(2));
  Expr sums(g.builder(), backward.getSums());
  layer.setInput(sums);
  layer.setState(sums, 3);
  layer.set(layer.initial, backward.getFirst());
  layer.set(cell, backward.getFirstCell());
  return success();
}

LogicalResult GruOp::buildVjp(GradientBuilder &g) {
  LayerGradient layer(g, *this);
  if (failed(layer.checkKept({2, 3})))
    return failure();
  auto backward = GruBackwardOp::create(
      g.builder(), layer.weight(), g.result(2), g.result(3),
      layer.given(layer.initial), layer.lengths(), layer.outputCotangent(),
      g.cotangent(1), getReverse(), getResetFirst(), getOnnxOrder());
  Expr inputSums(g.builder(), backward.getInputSums()),
      stateSums(g.builder(), backward.getStateSums());
  layer.setInput(inputSums);
  if (getResetFirst()) {
    SmallVector<int64_t> sizes(getStates().getType().getShape());
    layer.setResetState(stateSums, 2, slice(result(g, 3), {0, 0, 0}, sizes));
  } else {
    layer.setState(stateSums, 2);
  }
  layer.set(layer.initial, backward.getFirst());
  return success();
}
