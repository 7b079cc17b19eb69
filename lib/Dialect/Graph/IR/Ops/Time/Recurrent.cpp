// Family Recurrent: type inference.
#include "mpc/Dialect/Graph/IR/Ops/Time/Recurrent.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::getElementTypeOrSelf;

namespace {
using MaybeLoc = std::optional<Location>;

ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// The sizes of a layer.
struct Layer {
  int64_t steps, batch, width, gates;
  Type element;

  RankedTensorType sequence(int64_t widths) const {
    return RankedTensorType::get({steps, batch, widths * width}, element);
  }
  RankedTensorType state() const {
    return RankedTensorType::get({batch, width}, element);
  }
};

/// An error unless `tensor`, if it is there, is of `shape`.
LogicalResult checkShape(MaybeLoc loc, Value tensor, ArrayRef<int64_t> shape,
                         StringRef what) {
  if (!tensor || shapeOf(tensor) == shape)
    return success();
  return mlir::emitOptionalError(loc, "expected ", what, " of ",
                                 toString(shape), ", but got ",
                                 toString(shapeOf(tensor)));
}

LogicalResult checkElements(MaybeLoc loc, ArrayRef<Value> tensors,
                            Type element) {
  for (Value tensor : tensors)
    if (tensor && getElementTypeOrSelf(tensor) != element)
      return mlir::emitOptionalError(loc,
                                     "expected tensors of one element "
                                     "type, but got ",
                                     element, " and ",
                                     getElementTypeOrSelf(tensor));
  return success();
}

LogicalResult checkCell(MaybeLoc loc, Value cell, const Layer &layer,
                        StringRef what) {
  Type wide = getComputeType(layer.element);
  if (!cell || getElementTypeOrSelf(cell) == wide)
    return checkShape(loc, cell, {layer.batch, layer.width}, what);
  return mlir::emitOptionalError(loc, "expected ", what, " of ", wide,
                                 " beside tensors of ", layer.element,
                                 ", but got ", getElementTypeOrSelf(cell));
}

/// C1 to C4 of forward ops.
template <typename Op>
FailureOr<Layer> readLayer(MaybeLoc loc, Op op, int64_t gates) {
  ArrayRef<int64_t> input = shapeOf(op.getInput()),
                    weight = shapeOf(op.getStateWeight());
  if (input.size() != 3 || weight.size() != 2 ||
      weight[0] != gates * weight[1]) // C1
    return mlir::emitOptionalError(
        loc, "expected an input of rank 3 and a state weight of ", gates,
        " * width rows and width columns, but got ", toString(input), " and ",
        toString(weight));
  Layer layer{input[op.getBatchFirst() ? 1 : 0],
              input[op.getBatchFirst() ? 0 : 1], weight[1], gates,
              getElementTypeOrSelf(op.getInput())};
  int64_t rows = gates * layer.width;
  if (failed(checkShape(loc, op.getInputWeight(), {rows, input[2]}, // C1
                        "an input weight")) ||
      failed(checkShape(loc, op.getInputBias(), {rows}, "a bias")) || // C2
      failed(checkShape(loc, op.getStateBias(), {rows}, "a bias")) ||
      failed(checkShape(loc, op.getInitial(), {layer.batch, layer.width},
                        "an initial state")))
    return failure();
  if (!op.getInputBias() != !op.getStateBias()) // C2
    return mlir::emitOptionalError(loc, "expected two biases or none, but got "
                                        "one");
  if (failed(
          checkElements(loc,
                        {op.getInputWeight(), op.getStateWeight(),
                         op.getInputBias(), op.getStateBias(), op.getInitial()},
                        layer.element)) ||                                // C3
      failed(checkShape(loc, op.getLengths(), {layer.batch}, "lengths"))) // C4
    return failure();
  return layer;
}

/// Output, last state and states.
template <typename Op>
void addStates(Op op, const Layer &layer, SmallVectorImpl<Type> &types) {
  RankedTensorType states = layer.sequence(1);
  types.push_back(
      op.getBatchFirst()
          ? RankedTensorType::get({layer.batch, layer.steps, layer.width},
                                  layer.element)
          : states);
  types.append({layer.state(), states});
}

/// C1 of backward ops: `kept` are sequences of so many widths each.
template <typename Op>
FailureOr<Layer> readBackward(MaybeLoc loc, Op op, int64_t gates,
                              ArrayRef<std::pair<Value, int64_t>> kept) {
  ArrayRef<int64_t> cotangent = shapeOf(op.getOutputCotangent()),
                    weight = shapeOf(op.getStateWeight());
  if (cotangent.size() != 3 || weight.size() != 2 ||
      weight[1] != cotangent[2] || weight[0] != gates * weight[1])
    return mlir::emitOptionalError(
        loc,
        "expected a cotangent of time, batch and width and a state weight "
        "of ",
        gates, " * width rows and width columns, but got ", toString(cotangent),
        " and ", toString(weight));
  Layer layer{cotangent[0], cotangent[1], cotangent[2], gates,
              getElementTypeOrSelf(op.getStateWeight())};
  for (auto [tensor, widths] : kept)
    if (failed(checkShape(loc, tensor, layer.sequence(widths).getShape(),
                          "what was kept")))
      return failure();
  if (failed(checkShape(loc, op.getLastCotangent(), {layer.batch, layer.width},
                        "a cotangent of the last state")) ||
      failed(checkShape(loc, op.getLengths(), {layer.batch}, "lengths")) ||
      failed(checkElements(loc,
                           {op.getOutputCotangent(), op.getLastCotangent()},
                           layer.element)))
    return failure();
  return layer;
}
} // namespace

LogicalResult RnnOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<Layer> layer = readLayer(loc, op, 1);
  if (failed(layer))
    return failure();
  addStates(op, *layer, types);
  return success();
}

LogicalResult LstmOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  FailureOr<Layer> layer = readLayer(loc, op, 4);
  if (failed(layer) || failed(checkCell(loc, op.getInitialCell(), *layer,
                                        "an initial cell"))) // C3
    return failure();
  if (op.getInitialCell() && !op.getInitial()) // C2
    return mlir::emitOptionalError(loc, "expected an initial state beside an "
                                        "initial cell, but got none");
  addStates(op, *layer, types);
  Type wide = getComputeType(layer->element);
  types.insert(types.end() - 1, layer->state().clone(wide));
  types.append({layer->sequence(1).clone(wide), layer->sequence(4)});
  return success();
}

bool LstmOp::isRetypeable(unsigned index) {
  auto [cell, count] = getODSOperandIndexAndLength(6);
  Type element = getElementTypeOrSelf(getOperand(index));
  return isa<FloatType>(element) && !element.isF64() &&
         !(count && index == cell);
}

LogicalResult GruOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<Layer> layer = readLayer(loc, op, 3);
  if (failed(layer))
    return failure();
  addStates(op, *layer, types);
  types.push_back(layer->sequence(op.getResetFirst() ? 3 : 4));
  return success();
}

LogicalResult RnnBackwardOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<Layer> layer = readBackward(loc, op, 1, {{op.getStates(), 1}});
  if (failed(layer) ||
      failed(checkElements(loc, {op.getStates()}, layer->element)))
    return failure();
  types.append({layer->sequence(1), layer->state()});
  return success();
}

LogicalResult LstmBackwardOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  FailureOr<Layer> layer =
      readBackward(loc, op, 4, {{op.getCells(), 1}, {op.getGates(), 4}});
  if (failed(layer))
    return failure();
  Type wide = getComputeType(layer->element);
  if (failed(checkElements(loc, {op.getGates()}, layer->element)) ||
      failed(checkElements(loc, {op.getCells()}, wide)) ||
      failed(checkCell(loc, op.getInitialCell(), *layer, "an initial cell")) ||
      failed(checkCell(loc, op.getCellCotangent(), *layer,
                       "a cotangent of the last cell")))
    return failure();
  types.append(
      {layer->sequence(4), layer->state(), layer->state().clone(wide)});
  return success();
}

LogicalResult GruBackwardOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<Layer> layer = readBackward(
      loc, op, 3,
      {{op.getStates(), 1}, {op.getGates(), op.getResetFirst() ? 3 : 4}});
  if (failed(layer) ||
      failed(checkElements(loc,
                           {op.getStates(), op.getGates(), op.getInitial()},
                           layer->element)) ||
      failed(checkShape(loc, op.getInitial(), {layer->batch, layer->width},
                        "an initial state")))
    return failure();
  types.append({layer->sequence(3), layer->sequence(3), layer->state()});
  return success();
}

//===-- Lengths -----------------------------------------------------------===//

/// 0 to the number of steps.
template <typename Op>
static std::optional<LabelRange> getLengthRange(Op op, unsigned index) {
  mlir::MutableOperandRange lengths = op.getLengthsMutable();
  if (lengths.empty() || lengths[0].getOperandNumber() != index)
    return std::nullopt;
  int64_t steps = shapeOf(op.getInput())[op.getBatchFirst() ? 1 : 0];
  return LabelRange{steps + 1, std::nullopt};
}

std::optional<LabelRange> RnnOp::getLabelRange(unsigned index) {
  return getLengthRange(*this, index);
}
std::optional<LabelRange> LstmOp::getLabelRange(unsigned index) {
  return getLengthRange(*this, index);
}
std::optional<LabelRange> GruOp::getLabelRange(unsigned index) {
  return getLengthRange(*this, index);
}
