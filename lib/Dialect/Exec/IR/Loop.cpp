// exec.loop: where the arguments of its body lie in each step, and whether its
// steps write what they and those after them read.
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Program/Calls.h"
#include "llvm/ADT/MapVector.h"

using namespace mpc;
using namespace mpc::exec;
using mlir::MemRefType;

ValueRange LoopOp::getReads() { return getInputs(); }
ValueRange LoopOp::getWrites() { return getOutputs(); }
bool LoopOp::canShare(mlir::SymbolTableCollection &, unsigned, unsigned) {
  return false; // What a step has written, a later one reads.
}

LoopOp::Place LoopOp::getPlace(unsigned number, int64_t turn) {
  PlaceAttr place = getPlaceAttr(number);
  auto operand = [&](int64_t index) { return (*this)->getOperand(index); };
  int64_t steps = getSteps(), shift = place.getShift(), slice = 0;
  bool isEdge = false;
  switch (place.getMode()) {
  case PlaceMode::Whole:
    return {operand(place.getBuffer()), std::nullopt};
  case PlaceMode::Slice:
    slice = (getReverse() ? steps - 1 - turn : turn) + shift;
    isEdge = slice < 0 || slice >= steps;
    break;
  case PlaceMode::Turn:
    isEdge = place.getEdge() >= 0 && (shift ? turn == 0 : turn == steps - 1);
    slice = (turn + shift) & 1;
    break;
  }
  if (isEdge)
    return {operand(place.getEdge()), std::nullopt};
  return {operand(place.getBuffer()), slice};
}

//===-- Verifier ----------------------------------------------------------===//

namespace {
/// Checks one loop.
class LoopVerifier {
public:
  explicit LoopVerifier(LoopOp loop) : loop(loop) {}

  LogicalResult run() {
    Block &body = loop.getBody().front();
    if (loop.getSteps() < 1 ||
        loop.getPlaces().size() != body.getNumArguments()) // [loop-c1]
      return loop.emitOpError("expected 1 step or more and a place for each of "
                              "the ")
             << body.getNumArguments() << " arguments of its body, but got "
             << loop.getSteps() << " and " << loop.getPlaces().size();
    for (mlir::BlockArgument argument : body.getArguments())
      if (failed(verifyPlace(argument)))
        return failure();
    for (Operation &op : body)
      if (failed(verifyStep(&op)))
        return failure();
    return verifyOutputs();
  }

private:
  PlaceAttr placeOf(Value argument) {
    return loop.getPlaceAttr(
        cast<mlir::BlockArgument>(argument).getArgNumber());
  }
  bool isOutput(int64_t buffer) const {
    return buffer >=
           int64_t(loop->getNumOperands() - LoopOp(loop).getOutputs().size());
  }
  /// Whether the place is a part of what the step before has written.
  bool isFromBefore(PlaceAttr place) {
    int64_t back =
        place.getMode() == PlaceMode::Slice && loop.getReverse() ? 1 : -1;
    return place.getShift() == back;
  }

  LogicalResult verifyPlace(mlir::BlockArgument argument);
  LogicalResult verifyBytes(mlir::BlockArgument argument, PlaceAttr place);
  LogicalResult verifyStep(Operation *op);
  LogicalResult verifyRead(StepOpInterface step, Value read);
  LogicalResult verifyWrite(StepOpInterface step, Value write);
  LogicalResult verifyApart(StepOpInterface step);
  LogicalResult verifyOutputs();

  static int64_t elementsOf(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  }

  LoopOp loop;
  /// Elements that the body has written so far, by argument.
  llvm::MapVector<Value, int64_t> written;
  /// What the step before must have written, by the places of that.
  SmallVector<std::pair<StepOpInterface, PlaceAttr>> awaited;
};
} // namespace

LogicalResult LoopVerifier::verifyPlace(mlir::BlockArgument argument) {
  PlaceAttr place = placeOf(argument);
  int64_t operands = loop->getNumOperands(), shift = place.getShift();
  bool isInRange = place.getBuffer() >= 0 && place.getBuffer() < operands &&
                   place.getEdge() >= -1 && place.getEdge() < operands &&
                   shift >= -1 && shift <= 1;
  bool hasEdge = place.getEdge() >= 0, fits = false;
  switch (place.getMode()) {
  case PlaceMode::Whole:
    fits = !hasEdge && shift == 0;
    break;
  case PlaceMode::Slice:
    fits = hasEdge == (shift != 0);
    break;
  case PlaceMode::Turn:
    fits = shift == 0 || (shift == -1 && hasEdge);
    break;
  }
  if (!isInRange || !fits) // [loop-c1]
    return loop.emitOpError("expected argument ")
           << argument.getArgNumber() << " to lie in one of the " << operands
           << " operands, with an edge where a step may find no slice, but got "
           << place;
  return verifyBytes(argument, place);
}

LogicalResult LoopVerifier::verifyBytes(mlir::BlockArgument argument,
                                        PlaceAttr place) {
  auto own = dyn_cast<MemRefType>(argument.getType());
  auto buffer = cast<MemRefType>(loop->getOperand(place.getBuffer()).getType());
  bool fits = own && own.getLayout().isIdentity() &&
              own.getElementType() == buffer.getElementType();
  if (fits && place.getMode() == PlaceMode::Whole)
    fits = own.getNumElements() == buffer.getNumElements() &&
           buffer.getLayout().isIdentity();
  else if (fits) {
    int64_t slices =
        place.getMode() == PlaceMode::Turn ? 2 : int64_t(loop.getSteps());
    fits =
        buffer.getRank() > 0 && buffer.getDimSize(0) == slices &&
        own.getNumElements() <= buffer.getNumElements() / slices &&
        ArrayRef(getLayout(buffer).strides).drop_front() ==
            ArrayRef(program::getDenseStrides(buffer.getShape().drop_front()));
  }
  if (fits && place.getEdge() >= 0) {
    auto edge = cast<MemRefType>(loop->getOperand(place.getEdge()).getType());
    fits = edge.getLayout().isIdentity() &&
           edge.getElementType() == own.getElementType() &&
           edge.getNumElements() == own.getNumElements();
  }
  if (!fits) // [loop-c2]
    return loop.emitOpError("expected argument ")
           << argument.getArgNumber() << " of " << loop.getSteps()
           << " steps to fit its place, but got " << argument.getType()
           << " at " << place << " of " << buffer;
  return success();
}

LogicalResult LoopVerifier::verifyStep(Operation *op) {
  if (isa<ViewOp>(op))
    return success();
  auto step = dyn_cast<StepOpInterface>(op);
  if (!step || !isa<LaunchOp, CallOp, CopyOp>(op)) // [loop-c3]
    return op->emitOpError("expected a launch, a call, a copy or a view in the "
                           "body of a loop");
  for (Value read : step.getReads())
    if (failed(verifyRead(step, getRoot(read))))
      return failure();
  if (failed(verifyApart(step)))
    return failure();
  for (Value write : step.getWrites())
    if (failed(verifyWrite(step, write)))
      return failure();
  return success();
}

LogicalResult LoopVerifier::verifyRead(StepOpInterface step, Value read) {
  PlaceAttr place = placeOf(read);
  if (!isOutput(place.getBuffer()))
    return success();
  if (isFromBefore(place)) {
    awaited.push_back({step, place});
    return success();
  }
  if (place.getShift() != 0 || written.lookup(read) != elementsOf(read))
    return step->emitOpError("expected to read of an output of the loop what "
                             "the body has written before, but not at ")
           << place;
  return success();
}

LogicalResult LoopVerifier::verifyWrite(StepOpInterface step, Value write) {
  Value root = getRoot(write);
  PlaceAttr place = placeOf(root);
  if (!isOutput(place.getBuffer()) || place.getShift() != 0 ||
      (place.getEdge() >= 0 && !isOutput(place.getEdge())))
    return step->emitOpError("expected to write outputs of the loop, each step "
                             "its part, but got ")
           << place;
  written[root] += elementsOf(write);
  return success();
}

/// A step in the body reads and writes other parts, or the same in place.
LogicalResult LoopVerifier::verifyApart(StepOpInterface step) {
  mlir::ValueRange reads = step.getReads(), writes = step.getWrites();
  for (size_t w = 0; w < writes.size(); ++w) {
    for (Value read : reads)
      if (getRoot(read) == getRoot(writes[w]))
        return step->emitOpError("expected to write what it does not read");
    for (size_t other = 0; other < w; ++other)
      if (getRoot(writes[other]) == getRoot(writes[w]) &&
          !areParts(writes[other], writes[w]))
        return step->emitOpError("expected writes ")
               << other << " and " << w << " to be apart";
  }
  return success();
}

LogicalResult LoopVerifier::verifyOutputs() {
  DenseSet<int64_t> outputs;
  for (auto [argument, elements] : written) {
    PlaceAttr place = placeOf(argument);
    if (elements != elementsOf(argument))
      return loop.emitOpError("expected to write all of ")
             << place << " once in each step, but got " << elements
             << " elements of " << argument.getType();
    outputs.insert(place.getBuffer());
    outputs.insert(place.getEdge());
  }
  for (auto [step, place] : awaited)
    if (!outputs.contains(place.getBuffer()))
      return step->emitOpError("expected to read of an output of the loop what "
                               "the step before has written, but not at ")
             << place;
  int64_t first = loop.getInputs().size();
  for (int64_t number = first; number < int64_t(loop->getNumOperands());
       ++number)
    if (!outputs.contains(number)) // [loop-c3]
      return loop.emitOpError("expected to write output ")
             << number - first << ", but no step does";
  return success();
}

LogicalResult LoopOp::verifyRegions() { return LoopVerifier(*this).run(); }
