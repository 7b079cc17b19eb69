// Family Recurrent: formulas of lstm.
#include "Steps.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {
/// Where the weights of input, forget, cell and output gate lie.
ArrayRef<int64_t> getPlaces(bool onnxOrder) {
  static constexpr int64_t torch[] = {0, 1, 2, 3}, onnx[] = {0, 2, 3, 1};
  return onnxOrder ? onnx : torch;
}
/// Where gates are kept.
constexpr int64_t kKept[] = {0, 1, 2, 3};
} // namespace

/// i, f, g, o = sigmoid, sigmoid, tanh, sigmoid (x + h u^T);
/// c' = f c + i g;  h' = o tanh(c')
SmallVector<Value> LstmOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Layer layer(builder, *this, 4);
  Scan scan(builder, *this, layer.steps, getReverse());
  Value cell = getInitialCell();
  if (!cell)
    cell = makeZeros(builder, {layer.batch, layer.width}, layer.wide);
  Expr before = scan.carry(layer.initial()), cellBefore = scan.carry(cell);
  Expr sums = scan.each(layer.makeInputSums(layer.addBiases()));
  Expr valid = layer.valid ? scan.each(layer.valid) : Expr();
  Expr product =
      multiplyWide(before, scan.with(getStateWeight()), /*transposeRhs=*/true);

  ArrayRef<int64_t> places = getPlaces(getOnnxOrder());
  auto sumOf = [&](unsigned gate) {
    return takePart(sums, places[gate], layer.width) +
           takePart(product, places[gate], layer.width);
  };
  Decomposition &d = scan.inside();
  Expr i = sigmoid(sumOf(0)), f = sigmoid(sumOf(1)), g = tanh(sumOf(2)),
       o = sigmoid(sumOf(3));
  Expr cellAfter = f * cellBefore + i * g;
  Expr after = o * tanh(cellAfter);
  if (valid) {
    cellAfter = select(valid, cellAfter, cellBefore);
    after = select(valid, after, d.wide(before));
  }
  after = d.castTo(after, layer.element);
  scan.setNext({after, cellAfter});
  unsigned states = scan.stack(after), cells = scan.stack(cellAfter), gates = 0;
  bool isKept = !getGates().use_empty();
  if (isKept) {
    SmallVector<Expr> kept;
    for (Expr gate : {i, f, g, o})
      kept.push_back(d.castTo(gate, layer.element));
    gates = scan.stack(joinParts(kept, kKept));
  }
  scan.finish();
  Expr all = scan.stacked(states), allCells = scan.stacked(cells);
  Expr allGates = isKept ? scan.stacked(gates)
                         : makeZeros(builder, getGates().getType().getShape(),
                                     layer.element);
  return {layer.makeOutput(all),
          layer.takeLast(all),
          layer.takeLast(allCells),
          all,
          allCells,
          allGates};
}

/// do = dh tanh(c') o (1 - o);  dc' += dh o (1 - tanh(c')^2);
/// di = dc' g i (1 - i);  df = dc' c f (1 - f);  dg = dc' i (1 - g^2);
/// dc = dc' f;  what the step before gets is (di, df, dg, do) u
SmallVector<Value>
LstmBackwardOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  BackwardScan backward(builder, *this, /*hasPast=*/false);
  Scan &scan = backward.scan;
  Decomposition &d = scan.inside();
  Expr cellCotangent = backward.carry(getCellCotangent());
  Expr cellAfter = scan.each(getCells());
  Expr cellBefore = backward.eachBefore(getCells(), getInitialCell());
  Expr gates = scan.each(getGates());
  auto gateOf = [&](unsigned gate) {
    return d.wide(takePart(gates, kKept[gate], backward.width));
  };
  Expr i = gateOf(0), f = gateOf(1), g = gateOf(2), o = gateOf(3);

  Expr dh = backward.state, bounded = tanh(cellAfter);
  Expr dc = cellCotangent + dh * o * (1.0 - bounded * bounded);
  SmallVector<Expr> sums = {
      dc * g * (i * (1.0 - i)), dc * cellBefore * (f * (1.0 - f)),
      dc * i * (1.0 - g * g), dh * bounded * (o * (1.0 - o))};
  for (Expr &sum : sums)
    sum = d.castTo(backward.onlyValid(sum), backward.element);
  Expr joined = joinParts(sums, getPlaces(getOnnxOrder()));
  Expr cellNext = dc * f;
  if (backward.valid)
    cellNext = select(backward.valid, cellNext, cellCotangent);
  backward.setNext(multiplyWide(joined, backward.weight, false), {},
                   {cellNext});
  unsigned all = scan.stack(joined);
  scan.finish();
  return {scan.stacked(all), backward.first(),
          scan.last(backward.numberOfOther(0))};
}
