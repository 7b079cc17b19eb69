// Family Recurrent: formulas of rnn.
#include "Steps.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// a = x + h u^T;  h' = tanh(a)
SmallVector<Value> RnnOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Layer layer(builder, *this, 1);
  Scan scan(builder, *this, layer.steps, getReverse());
  Expr before = scan.carry(layer.initial());
  Expr sums = scan.each(layer.makeInputSums(layer.addBiases()));
  Expr valid = layer.valid ? scan.each(layer.valid) : Expr();
  Expr weight = scan.with(getStateWeight());

  Expr sum = sums + multiplyWide(before, weight, /*transposeRhs=*/true);
  Expr after = getRelu() ? maximum(sum, 0.0) : tanh(sum);
  if (valid)
    after = select(valid, after, scan.inside().wide(before));
  after = scan.inside().castTo(after, layer.element);
  scan.setNext({after});
  unsigned states = scan.stack(after);
  scan.finish();
  Expr all = scan.stacked(states);
  return {layer.makeOutput(all), layer.takeLast(all), all};
}

/// da = dh (1 - h^2), or dh where h > 0;  what the step before gets is da u
SmallVector<Value>
RnnBackwardOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  BackwardScan backward(builder, *this, /*hasPast=*/false);
  Scan &scan = backward.scan;
  Expr after = scan.inside().wide(scan.each(getStates()));
  Expr dh = backward.state;
  Expr sum = getRelu() ? select(greater(after, 0.0), dh, dh.constant(0))
                       : dh * (1.0 - after * after);
  sum = scan.inside().castTo(backward.onlyValid(sum), backward.element);
  backward.setNext(multiplyWide(sum, backward.weight, false), {});
  unsigned sums = scan.stack(sum);
  scan.finish();
  return {scan.stacked(sums), backward.first()};
}
