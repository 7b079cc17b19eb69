// The frame of steps of time: verifier.
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;

YieldOp ScanOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

Value ScanOp::getEdge(unsigned number) {
  if (getShift(number) == 0)
    return {};
  unsigned before = 0;
  for (unsigned other = 0; other < number; ++other)
    before += getShift(other) != 0;
  return getEdges()[before];
}

/// Of one step of a sequence.
static RankedTensorType elementOf(Type sequence) {
  auto type = cast<RankedTensorType>(sequence);
  return type.clone(type.getShape().drop_front());
}

static LogicalResult verifySteps(ScanOp op) {
  auto hasSteps = [&](Type type) {
    auto sequence = cast<RankedTensorType>(type);
    return sequence.getRank() > 0 &&
           sequence.getDimSize(0) == int64_t(op.getSteps());
  };
  if (auto steps = int64_t(op.getSteps()); steps < 1)
    return op.emitOpError("expected 1 step or more, but got ") << steps;
  if (op.getNumResults() < op.getCarried().size())
    return op.emitOpError("expected results for the ")
           << op.getCarried().size() << " carried values, but got "
           << op.getNumResults();
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op.getSequences().getTypes()),
                                llvm::to_vector(op.getStacked().getTypes())))
    if (!hasSteps(type))
      return op.emitOpError("expected sequences of ")
             << op.getSteps() << " steps, but got " << type;
  return success();
}

static LogicalResult verifyShifts(ScanOp op) {
  if (op.getShifts() && op.getShifts()->size() != op.getSequences().size())
    return op.emitOpError("expected a shift for each of ")
           << op.getSequences().size() << " sequences, but got "
           << op.getShifts()->size();
  size_t edges = 0;
  for (auto [number, sequence] : llvm::enumerate(op.getSequences())) {
    int64_t shift = op.getShift(number);
    if (shift < -1 || shift > 1)
      return op.emitOpError("expected shifts of -1, 0 or 1, but got ") << shift;
    edges += shift != 0;
  }
  if (edges != op.getEdges().size())
    return op.emitOpError("expected an edge for each of ")
           << edges << " sequences with a shift, but got "
           << op.getEdges().size();
  for (auto [number, sequence] : llvm::enumerate(op.getSequences()))
    if (Value edge = op.getEdge(number);
        edge && edge.getType() != elementOf(sequence.getType()))
      return op.emitOpError("expected an edge like an element of ")
             << sequence.getType() << ", but got " << edge.getType();
  return success();
}

static LogicalResult verifyTypes(ScanOp op, ArrayRef<Type> expected,
                                 TypeRange found, StringRef what) {
  if (TypeRange(expected) == found)
    return success();
  return op.emitOpError("expected ")
         << what << " of types " << expected << ", but got " << found;
}

/// What is done once in a step of training, not in each step of time.
static LogicalResult verifyInStep(Operation *op) {
  if (auto random = dyn_cast<RandomOpInterface>(op); random && random.draws())
    return op->emitOpError("expected nothing random in the body of a scan; "
                           "draw a sequence in front of it, of which each "
                           "step takes its element");
  auto statistics = dyn_cast<RunningStatisticsOpInterface>(op);
  if (statistics && !statistics.getTracked().empty())
    return op->emitOpError("expected no running statistics in the body of a "
                           "scan, where nothing would move them; normalize "
                           "in front of it or behind it");
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  if (failed(verifySteps(*this)) || // C1
      failed(verifyShifts(*this)))  // C2
    return failure();
  SmallVector<Type> taken(getCarried().getTypes()),
      yielded(getCarried().getTypes());
  for (Type type : getSequences().getTypes())
    taken.push_back(elementOf(type));
  llvm::append_range(taken, getConstants().getTypes());
  for (Type type : getStacked().getTypes())
    yielded.push_back(elementOf(type));
  SmallVector<Type> last(
      TypeRange(getResultTypes()).take_front(getCarried().size()));
  if (failed(verifyTypes(*this, taken, getBody().getArgumentTypes(),
                         "arguments of the body")) || // C3
      failed(verifyTypes(*this, yielded, getYield().getResults().getTypes(),
                         "yielded values")) || // C4
      failed(verifyTypes(*this, last, getCarried().getTypes(),
                         "carried values, as the first results,"))) // C4
    return failure();
  if (getOperation()->getParentOfType<ScanOp>()) // C5
    return emitOpError("expected no scan in the body of another");
  return success(!getBody()
                      .walk([](Operation *op) { // C6, C7
                        return failed(verifyInStep(op))
                                   ? mlir::WalkResult::interrupt()
                                   : mlir::WalkResult::advance();
                      })
                      .wasInterrupted());
}
