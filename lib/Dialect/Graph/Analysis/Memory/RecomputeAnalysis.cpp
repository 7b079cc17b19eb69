#include "mpc/Dialect/Graph/Analysis/Memory/RecomputeAnalysis.h"
#include "mpc/Dialect/Graph/Analysis/SavedValues.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

// More ops than any one value of a model takes that is not a whole layer.
constexpr size_t kMostOps = 256;
// What an exponential costs, or a composite that is made of several ops.
constexpr double kCostly = 8;

/// A call says it itself; other ops go through their largest tensor once.
double countFlops(Operation *op) {
  if (auto call = dyn_cast<LibraryCallOpInterface>(op))
    return call.countFlops();
  int64_t elements = 1;
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    elements =
        std::max(elements, cast<RankedTensorType>(type).getNumElements());
  bool isCostly =
      op->hasTrait<CostlyBody>() || isa<DecomposableOpInterface>(op);
  return (isCostly ? kCostly : 1) * static_cast<double>(elements);
}

class Finder {
public:
  Finder(FuncOp step, FuncOp forward) : forward(step, forward) {
    size_t place = 0, calls = 0;
    for (Operation &op : step.getBody().front()) {
      placeOf[&op] = place++;
      callsBefore.push_back(calls);
      calls += isa<LibraryCallOpInterface>(op);
    }
  }

  std::optional<RecomputeCandidate> find(Operation *op) const;
  size_t getPlace(const RecomputeCandidate &candidate) const {
    return placeOf.lookup(candidate.ops.back());
  }

private:
  bool isWorthIt(Operation *op) const;
  bool addOps(RecomputeCandidate &candidate) const;

  ForwardPart forward;
  DenseMap<Operation *, size_t> placeOf;
  SmallVector<size_t> callsBefore; ///< By place.
};

} // namespace

/// Whether a library call runs between the last op of the forward that reads a
/// value of `op` and the first of the backward that does.
bool Finder::isWorthIt(Operation *op) const {
  size_t last = placeOf.lookup(op), first = callsBefore.size() - 1;
  for (Operation *user : op->getUsers()) {
    size_t place = placeOf.lookup(user);
    if (forward.contains(user))
      last = std::max(last, place);
    else
      first = std::min(first, place);
  }
  return last + 1 < first && callsBefore[first] > callsBefore[last + 1];
}

/// The last op is there: those that it takes, up to values that are kept.
bool Finder::addOps(RecomputeCandidate &candidate) const {
  SmallVector<Operation *> &ops = candidate.ops;
  DenseSet<Operation *> seen(ops.begin(), ops.end());
  for (size_t next = 0; next < ops.size(); ++next) {
    if (ops.size() > kMostOps)
      return false;
    candidate.flops += countFlops(ops[next]);
    for (Value operand : ops[next]->getOperands())
      if (forward.isMade(operand) && !forward.isKept(operand) &&
          seen.insert(operand.getDefiningOp()).second)
        ops.push_back(operand.getDefiningOp());
  }
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return placeOf.lookup(a) < placeOf.lookup(b);
  });
  return true;
}

std::optional<RecomputeCandidate> Finder::find(Operation *op) const {
  RecomputeCandidate candidate;
  for (Value result : op->getResults())
    if (forward.isKept(result))
      candidate.bytes += getBytes(cast<RankedTensorType>(result.getType()));
  if (candidate.bytes == 0 || !isWorthIt(op))
    return std::nullopt;
  candidate.ops.push_back(op);
  if (!addOps(candidate))
    return std::nullopt;
  return candidate;
}

RecomputeAnalysis::RecomputeAnalysis(FuncOp step, FuncOp forward) {
  Finder finder(step, forward);
  for (Operation &op : step.getBody().front().without_terminator()) {
    stepFlops += countFlops(&op);
    if (std::optional<RecomputeCandidate> found = finder.find(&op))
      candidates.push_back(std::move(*found));
  }
  llvm::sort(candidates,
             [&](const RecomputeCandidate &a, const RecomputeCandidate &b) {
               return std::pair(b.bytesPerFlop(), finder.getPlace(a)) <
                      std::pair(a.bytesPerFlop(), finder.getPlace(b));
             });
}
