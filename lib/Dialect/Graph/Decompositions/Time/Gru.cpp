// Family Recurrent: formulas of gru.
#include "Steps.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {
/// Where the weights of reset, update and new gate lie.
ArrayRef<int64_t> getPlaces(bool onnxOrder) {
  static constexpr int64_t torch[] = {0, 1, 2}, onnx[] = {1, 0, 2};
  return onnxOrder ? onnx : torch;
}
/// Where gates are kept, the last one if there is one more.
constexpr int64_t kKept[] = {0, 1, 2, 3};

/// Rows of some gates of a weight, from gate `first`.
Expr takeGates(Expr weight, int64_t first, int64_t count) {
  int64_t width = weight.shape()[1];
  return slice(weight, {first * width, 0}, {count * width, width});
}
} // namespace

/// r, z = sigmoid (x + h u^T);  n = tanh(x + r (h u^T)), or tanh(x + (r h)
/// u^T); h' = n + z (h - n)
SmallVector<Value> GruOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Layer layer(builder, *this, 3);
  Scan scan(builder, *this, layer.steps, getReverse());
  Decomposition &d = scan.inside();
  int64_t width = layer.width;
  bool resetFirst = getResetFirst();
  Expr state = scan.carry(layer.initial());
  Expr sums = scan.each(layer.makeInputSums(
      resetFirst ? layer.addBiases() : layer.widenBias(getInputBias())));
  Expr valid = layer.valid ? scan.each(layer.valid) : Expr();
  Expr weight = scan.with(getStateWeight());
  Expr bias = getStateBias() && !resetFirst
                  ? scan.with(layer.widenBias(getStateBias()))
                  : Expr();

  ArrayRef<int64_t> places = getPlaces(getOnnxOrder());
  Expr product =
      multiplyWide(state, resetFirst ? takeGates(weight, 0, 2) : weight, true);
  auto stateSumOf = [&](unsigned gate) {
    Expr sum = takePart(product, places[gate], width);
    return bias ? sum + takePart(bias, places[gate], width) : sum;
  };
  auto inputSumOf = [&](unsigned gate) {
    return takePart(sums, places[gate], width);
  };
  Expr before = d.wide(state);
  Expr r = sigmoid(inputSumOf(0) + stateSumOf(0)),
       z = sigmoid(inputSumOf(1) + stateSumOf(1));
  Expr part = resetFirst ? multiplyWide(d.castTo(r * before, layer.element),
                                        takeGates(weight, 2, 1), true)
                         : stateSumOf(2);
  Expr n = tanh(inputSumOf(2) + (resetFirst ? part : r * part));
  Expr after = n + z * (before - n);
  if (valid)
    after = select(valid, after, before);
  after = d.castTo(after, layer.element);
  scan.setNext({after});
  unsigned states = scan.stack(after), gates = 0;
  bool isKept = !getGates().use_empty();
  if (isKept) {
    SmallVector<Expr> kept = {r, z, n};
    if (!resetFirst)
      kept.push_back(part);
    for (Expr &gate : kept)
      gate = d.castTo(gate, layer.element);
    gates =
        scan.stack(joinParts(kept, ArrayRef(kKept).take_front(kept.size())));
  }
  scan.finish();
  Expr all = scan.stacked(states);
  Expr allGates = isKept ? scan.stacked(gates)
                         : makeZeros(builder, getGates().getType().getShape(),
                                     layer.element);
  return {layer.makeOutput(all), layer.takeLast(all), all, allGates};
}

/// dz = dh (h - n) z (1 - z), dn = dh (1 - z) (1 - n^2), and dr = dn p r (1 -
/// r), where p is what r multiplies. Past the product goes dh z. With the reset
/// first, p is h, whose cotangent dn u r goes past it, too.
SmallVector<Value>
GruBackwardOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  BackwardScan backward(builder, *this, /*hasPast=*/true);
  Scan &scan = backward.scan;
  Decomposition &d = scan.inside();
  int64_t width = backward.width;
  Expr before = backward.eachBefore(getStates(), getInitial());
  Expr gates = scan.each(getGates());
  auto gateOf = [&](unsigned gate) {
    return d.wide(takePart(gates, kKept[gate], width));
  };
  Expr r = gateOf(0), z = gateOf(1), n = gateOf(2), dh = backward.state;
  auto narrow = [&](Expr x) {
    return d.castTo(backward.onlyValid(x), backward.element);
  };
  ArrayRef<int64_t> places = getPlaces(getOnnxOrder());
  Expr dz = dh * (before - n) * (z * (1.0 - z));
  Expr dn = dh * (1.0 - z) * (1.0 - n * n);
  Expr past = dh * z, sums, stateSums, product;
  if (getResetFirst()) {
    Expr narrowed = narrow(dn);
    Expr reset =
        multiplyWide(narrowed, takeGates(backward.weight, 2, 1), false);
    Expr dr = narrow(reset * before * (r * (1.0 - r)));
    sums = stateSums = joinParts({dr, narrow(dz), narrowed}, places);
    product = multiplyWide(takePart(sums, 0, 2 * width),
                           takeGates(backward.weight, 0, 2), false);
    past = past + reset * r;
  } else {
    Expr part = gateOf(3);
    Expr dr = dn * part * (r * (1.0 - r));
    sums = joinParts({narrow(dr), narrow(dz), narrow(dn)}, places);
    stateSums = joinParts({narrow(dr), narrow(dz), narrow(dn * r)}, places);
    product = multiplyWide(stateSums, backward.weight, false);
  }
  backward.setNext(product, past);
  unsigned ofInput = scan.stack(sums),
           ofState = getResetFirst() ? ofInput : scan.stack(stateSums);
  scan.finish();
  return {scan.stacked(ofInput), scan.stacked(ofState), backward.first()};
}
