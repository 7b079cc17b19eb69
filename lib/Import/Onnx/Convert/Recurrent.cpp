// Layers of time. ONNX' weights have the directions as their first dim, each of
// which becomes an op.
#include "../Tables.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

namespace {
/// What the three op types have in common.
struct Layer {
  StringRef op;
  int64_t gates = 1;
  int64_t width = 0;
  bool isBatchFirst = false;
  std::vector<bool> reversed; ///< Of each direction.
  SmallVector<OpAttr> attributes;
  Expr lengths;
};
} // namespace

/// The activations of each direction; the defaults where none are given.
static FailureOr<std::vector<std::string>>
readActivations(Node &n, const Layer &layer, ArrayRef<StringRef> defaults) {
  std::vector<std::string> given = n.texts("activations");
  if (n.hasAttribute("activation_alpha") || n.hasAttribute("activation_beta"))
    return n.refuse("activations with parameters are not supported");
  if (given.empty())
    for (size_t i = 0; i < layer.reversed.size(); ++i)
      given.insert(given.end(), defaults.begin(), defaults.end());
  if (given.size() != defaults.size() * layer.reversed.size())
    return n.refuse("expected activations for each direction");
  return given;
}

static LogicalResult checkActivations(Node &n, const Layer &layer,
                                      ArrayRef<StringRef> defaults) {
  auto given = readActivations(n, layer, defaults);
  if (failed(given))
    return failure();
  for (size_t i = 0; i < given->size(); ++i)
    if (!StringRef((*given)[i])
             .equals_insensitive(defaults[i % defaults.size()]))
      return n.refuse("expected the activations " + llvm::join(defaults, ", ") +
                      ", but got " + (*given)[i]);
  return success();
}

static FailureOr<Layer> readLayer(Node &n, StringRef op, int64_t gates) {
  Layer layer;
  layer.op = op;
  layer.gates = gates;
  std::string direction = n.text("direction", "forward");
  if (direction == "forward" || direction == "reverse")
    layer.reversed = {direction == "reverse"};
  else if (direction == "bidirectional")
    layer.reversed = {false, true};
  else
    return n.refuse("unknown direction '" + direction + "'");
  layer.isBatchFirst = n.integer("layout", 0) != 0;
  if (n.hasAttribute("clip"))
    return n.refuse("clip is not supported");
  Shape recurrence = n.shape(2);
  if (n.rank(0) != 3 || n.rank(1) != 3 || recurrence.size() != 3 ||
      recurrence[0] != int64_t(layer.reversed.size()))
    return n.refuse("expected an operand of rank 3, and weights with the "
                    "directions in front");
  layer.width = recurrence[2];
  if (n.integer("hidden_size", layer.width) != layer.width)
    return n.refuse("expected hidden_size to be that of the weights");
  if (layer.isBatchFirst)
    layer.attributes.push_back({"batch_first", n.unit()});
  return layer;
}

/// What direction `index` has of `x`, without the dim of directions.
static Expr part(Node &n, Expr x, int64_t dim, int64_t index) {
  if (!x)
    return {};
  if (dim >= x.rank() || index >= x.shape()[dim]) {
    (void)n.refuse("expected a dim for the directions");
    return {};
  }
  Shape offsets(x.rank(), 0), sizes(x.shape()), shape(x.shape());
  offsets[dim] = index;
  sizes[dim] = 1;
  shape.erase(shape.begin() + dim);
  return n.reshape(n.slice(x, offsets, sizes), shape);
}

/// Lengths, but for those that are all the whole time.
static LogicalResult readLengths(Node &n, Layer &layer) {
  if (!n.has(4))
    return success();
  int64_t steps = n.shape(0)[layer.isBatchFirst ? 1 : 0];
  if (n.entry(4).isKnown())
    if (ConstantPtr known = n.constant(4);
        known && !known->isFloat() &&
        llvm::all_of(known->ints, [&](int64_t x) { return x == steps; }))
      return success();
  layer.lengths = n.value(4);
  return success(bool(layer.lengths));
}

/// Input and state biases of a direction, or nulls.
static std::pair<Expr, Expr> readBiases(Node &n, const Layer &layer,
                                        int64_t index) {
  if (!n.has(3))
    return {};
  Expr both = part(n, n.floating(3), 0, index);
  if (!both)
    return {};
  int64_t count = layer.gates * layer.width;
  if (both.rank() != 1 || both.shape()[0] != 2 * count) {
    (void)n.refuse("expected two biases for each gate");
    return {};
  }
  return {n.slice(both, {0}, {count}), n.slice(both, {count}, {count})};
}

/// The operands of a direction up to the first state, and from the lengths on.
static Operation *makeDirection(Node &n, const Layer &layer, int64_t index,
                                bool hasStates) {
  int64_t stateDim = layer.isBatchFirst ? 1 : 0;
  Expr x = n.floating(0);
  Expr weight = part(n, n.floating(1), 0, index);
  Expr recurrence = part(n, n.floating(2), 0, index);
  auto [inputBias, stateBias] = readBiases(n, layer, index);
  Expr initial, cell;
  if (hasStates && x) {
    Shape shape = {x.shape()[layer.isBatchFirst ? 0 : 1], layer.width};
    auto stateOf = [&](size_t i) {
      return n.has(i) ? part(n, n.floating(i), stateDim, index)
                      : n.broadcast(x.constant(0), shape);
    };
    initial = stateOf(5);
    if (layer.op == "lstm")
      cell = stateOf(6);
  }
  SmallVector<Value> operands = {x,         weight,    recurrence,
                                 inputBias, stateBias, initial};
  if (layer.op == "lstm")
    operands.push_back(cell);
  operands.push_back(layer.lengths);
  SmallVector<OpAttr> attributes(layer.attributes);
  if (layer.reversed[index])
    attributes.push_back({"reverse", n.unit()});
  return n.make(layer.op, operands, attributes);
}

/// `parts`, one for each direction, along a new dim.
static Expr stack(Node &n, ArrayRef<Value> parts, int64_t dim) {
  SmallVector<Value> grown;
  for (Value one : parts) {
    Expr x = n.wrap(one);
    Shape shape(x.shape());
    shape.insert(shape.begin() + dim, 1);
    grown.push_back(n.reshape(x, shape));
  }
  return n.concat(grown, dim);
}

/// Of zeros, too, which nobody reads: another shape is of another layer.
static LogicalResult checkStates(Node &n, const Layer &layer) {
  Shape x = n.shape(0);
  auto directions = int64_t(layer.reversed.size());
  Shape wanted = {directions, x[1], layer.width};
  if (layer.isBatchFirst)
    wanted = {x[0], directions, layer.width};
  for (size_t i : {5, 6})
    if (n.has(i) && (i == 5 || layer.op == "lstm") && n.shape(i) != wanted)
      return n.refuse("expected a first state of " + graph::toString(wanted) +
                      ", operand " + Twine(i) + ", but got one of " +
                      graph::toString(n.shape(i)) +
                      "; states that are projected (PyTorch's proj_size) are "
                      "not supported");
  return success();
}

static LogicalResult convertLayer(Node &n, Layer &layer) {
  if (failed(checkStates(n, layer)))
    return failure();
  // States of zeros need not be given.
  bool hasStates = !n.isZero(5) || (layer.op == "lstm" && !n.isZero(6));
  if (failed(readLengths(n, layer)))
    return failure();
  size_t states = layer.op == "lstm" ? 3 : 2;
  std::vector<SmallVector<Value>> results(states);
  for (size_t i = 0; i < layer.reversed.size(); ++i) {
    Operation *made = makeDirection(n, layer, int64_t(i), hasStates);
    if (!made)
      return n.isRefused() ? failure() : n.refuse("an operand is missing");
    for (size_t result = 0; result < states; ++result)
      results[result].push_back(made->getResult(result));
  }
  for (size_t result = 0; result < states; ++result) {
    // Behind time and batch in sequences; behind the batch of states, in front
    // of it where time comes first.
    int64_t dim = result == 0 ? (layer.isBatchFirst ? 2 : 1)
                              : (layer.isBatchFirst ? 1 : 0);
    if (n.wants(result) &&
        failed(n.set(result, n.cast(stack(n, results[result], dim),
                                    n.floating(0).elementType()))))
      return failure();
  }
  return success();
}

static LogicalResult convertLstm(Node &n) {
  FailureOr<Layer> layer = readLayer(n, "lstm", 4);
  if (failed(layer) ||
      failed(checkActivations(n, *layer, {"Sigmoid", "Tanh", "Tanh"})))
    return failure();
  if (n.integer("input_forget", 0) != 0)
    return n.refuse("coupled input and forget gates are not supported");
  if (!n.isZero(7))
    return n.refuse("peepholes are not supported");
  layer->attributes.push_back({"onnx_order", n.unit()});
  return convertLayer(n, *layer);
}

static LogicalResult convertGru(Node &n) {
  FailureOr<Layer> layer = readLayer(n, "gru", 3);
  if (failed(layer) || failed(checkActivations(n, *layer, {"Sigmoid", "Tanh"})))
    return failure();
  layer->attributes.push_back({"onnx_order", n.unit()});
  if (n.integer("linear_before_reset", 0) == 0)
    layer->attributes.push_back({"reset_first", n.unit()});
  return convertLayer(n, *layer);
}

static LogicalResult convertRnn(Node &n) {
  FailureOr<Layer> layer = readLayer(n, "rnn", 1);
  if (failed(layer))
    return failure();
  auto activations = readActivations(n, *layer, {"Tanh"});
  if (failed(activations))
    return failure();
  bool isRelu = StringRef(activations->front()).equals_insensitive("relu");
  if (failed(checkActivations(n, *layer, {isRelu ? "Relu" : "Tanh"})) &&
      !n.hasAttribute("activations"))
    return failure();
  if (isRelu)
    layer->attributes.push_back({"relu", n.unit()});
  return n.isRefused() ? failure() : convertLayer(n, *layer);
}

ArrayRef<Converter> mpc::onnx::recurrentConverters() {
  static constexpr Converter rows[] = {
      {"GRU", 7, convertGru}, {"LSTM", 7, convertLstm}, {"RNN", 7, convertRnn}};
  return rows;
}
