// Values whose shape is free, and what is computed of them element by element:
// whether a dim could follow the batch, and what would follow with it.
#include "BatchSolver.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mpc;
using namespace mpc::graph;

/// Everything that has to follow with one dim of one value. Each place is
/// looked at once, however many ways lead to it.
class BatchSolver::Demand {
public:
  Demand(const BatchDims &facts, Value value, int64_t dim) : facts(facts) {
    need(value, dim);
  }

  /// What does not follow yet; nothing if some of it cannot.
  std::optional<Candidate> find() {
    for (size_t i = 0; i < needed.size(); ++i)
      if (!visit(needed[i].first, needed[i].second))
        return std::nullopt;
    return llvm::map_to_vector<1>(needed, [](const auto &place) {
      return Place{place.first, place.second};
    });
  }

private:
  void need(Value value, int64_t dim) {
    if (!facts.follows(value, dim))
      needed.insert({value, dim});
  }

  bool visit(Value value, int64_t dim) {
    Operation *op = value.getDefiningOp();
    if (!op || staticShape(value)[dim] % facts.batch != 0)
      return false;
    auto resizable = dyn_cast<ResizableOpInterface>(op);
    return (resizable && resizable.isFreeAlong(dim)) || visitOperands(op, dim);
  }

  /// Through ops whose elements come one by one from those of their operands.
  bool visitOperands(Operation *op, int64_t dim) {
    ArrayRef<int64_t> shape = staticShape(op->getResult(0));
    if (auto movement = dyn_cast<MovementOpInterface>(op)) {
      Movement from = movement.getMovement();
      if (from.kind == Movement::Kind::Gather) {
        bool isIndexed = from.dims[dim] < 0;
        need(op->getOperand(isIndexed),
             isIndexed ? dim - from.indexedDim : from.dims[dim]);
        return true;
      }
      bool isStrided = from.kind == Movement::Kind::Strided ||
                       from.kind == Movement::Kind::Window;
      if (!isStrided || from.dims[dim] < 0)
        return false;
      int64_t source = from.dims[dim];
      need(op->getOperand(0), source);
      return staticShape(op->getOperand(0))[source] == shape[dim];
    }
    if (!isa<KernelBodyOpInterface>(op))
      return false;
    bool found = false;
    for (Value operand : op->getOperands()) {
      ArrayRef<int64_t> sizes = staticShape(operand);
      int64_t aligned = dim - int64_t(shape.size() - sizes.size());
      if (aligned < 0 || sizes[aligned] != shape[dim])
        continue; // repeated
      need(operand, aligned);
      found = true;
    }
    return found;
  }

  const BatchDims &facts;
  llvm::SmallSetVector<std::pair<Value, int64_t>, 4> needed;
};

bool BatchSolver::demand(Value value, int64_t dim, Operation *reader) {
  std::optional<Candidate> needed = Demand(facts, value, dim).find();
  if (!needed)
    return false;
  setAll(*needed, reader);
  return true;
}

void BatchSolver::setAll(const Candidate &places, Operation *reader) {
  for (auto [value, dim] : places)
    if (set(value, dim))
      demandedBy.try_emplace(value, reader);
}

SmallVector<BatchSolver::Candidate> BatchSolver::findCandidates(Operation *op) {
  constexpr size_t kMost = 12; // 4096 tries
  SmallVector<Candidate> candidates;
  for (OpOperand &operand : op->getOpOperands())
    for (int64_t dim = 0, e = staticShape(operand.get()).size();
         dim < e && candidates.size() < kMost; ++dim)
      if (!facts.follows(operand.get(), dim))
        if (auto needed = Demand(facts, operand.get(), dim).find())
          candidates.push_back(std::move(*needed));
  return candidates;
}
