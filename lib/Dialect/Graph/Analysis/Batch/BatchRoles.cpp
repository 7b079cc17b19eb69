// A value that follows the batch only because a reader needs it to (a constant
// of ones, a broadcast) may have another reader, which does not: the sum of its
// elements, say. What that computes would change with the batch, and whether it
// should nobody can tell: it is an error.
//
// A value comes from samples if something of an input that is cut into batches
// flows into it; all others that follow are made up. A reader takes a made-up
// value for samples if its op would not verify were the value of the old size,
// or if its result, which has another size then, is taken for samples.
#include "mpc/Support/Assert.h"

#include "BatchSolver.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
/// How a value is read. An output is no reader: it has the size that it gets.
enum class BatchRole { Unread, Fixed, Samples };
} // namespace

class BatchSolver::Roles {
public:
  Roles(const BatchSolver &solver, FuncOp model)
      : facts(solver.facts), prime(solver.prime) {
    model->getParentOfType<ModuleOp>().walk(
        [&](CustomOp call) { calls[&getBody(call)].push_back(call); });
    findSamples();
    findRoles();
  }

  /// Fails with an error, and a note at a reader of each kind, if readers of a
  /// made-up value differ.
  LogicalResult check() const {
    for (const auto &[value, dims] : facts.values()) {
      if (fromSamples.contains(value))
        continue;
      OpOperand *fixed = nullptr, *samples = nullptr;
      for (OpOperand &use : value.getUses()) {
        BatchRole role = roleOf(use);
        if (role == BatchRole::Fixed)
          fixed = &use;
        if (role == BatchRole::Samples)
          samples = &use;
      }
      if (fixed && samples)
        return refuse(value, *samples, *fixed);
    }
    return success();
  }

private:
  static LogicalResult refuse(Value value, OpOperand &samples,
                              OpOperand &fixed) {
    InFlightDiagnostic error = mlir::emitError(value.getLoc());
    error << "expected readers that all need this value to have as many "
             "elements as the batch has samples, or none, but one does and "
             "another does not; write a value of its own for each";
    error.attachNote(samples.getOwner()->getLoc())
        << "this reader needs it to follow the batch";
    error.attachNote(fixed.getOwner()->getLoc())
        << "this reader would compute something else with another batch size";
    return error;
  }

  /// Values are listed about as they are computed: few rounds.
  void findSamples() {
    bool changed = false;
    do {
      changed = false;
      for (const auto &[value, dims] : facts.values())
        if (!fromSamples.contains(value) && isFromSamples(value))
          changed |= fromSamples.insert(value).second;
    } while (changed);
  }
  bool isFromSamples(Value value) const {
    if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
      auto called = calls.find(argument.getOwner());
      return called == calls.end() || // an input of the model
             llvm::any_of(called->second, [&](CustomOp call) {
               return fromSamples.contains(
                   call.getInputs()[argument.getArgNumber()]);
             });
    }
    if (auto call = value.getDefiningOp<CustomOp>())
      return fromSamples.contains(getBody(call).getTerminator()->getOperand(
          cast<mlir::OpResult>(value).getResultNumber()));
    return anyFromSamples(value.getDefiningOp());
  }
  bool anyFromSamples(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return fromSamples.contains(operand);
    });
  }

  /// Roles only grow, from the last readers to the first.
  void findRoles() {
    bool changed = false;
    do {
      changed = false;
      for (const auto &[value, dims] : llvm::reverse(facts.values())) {
        BatchRole role = BatchRole::Unread;
        for (OpOperand &use : value.getUses())
          role = std::max(role, roleOf(use));
        changed |= std::exchange(roles[value], role) != role;
      }
    } while (changed);
  }

  BatchRole roleOf(OpOperand &use) const {
    Operation *op = use.getOwner();
    if (op->hasTrait<mlir::OpTrait::IsTerminator>())
      return roleOfReturned(use);
    if (auto call = dyn_cast<CustomOp>(op))
      return roles.lookup(getBody(call).getArgument(use.getOperandNumber()));
    if (fromSamples.contains(use.get()))
      return BatchRole::Fixed; // which nobody asks for
    if (!anyFromSamples(op))
      return roleOfResults(op, op->getResultTypes());
    // What is laid beside samples has as many.
    if (isa<MovementOpInterface>(op))
      return BatchRole::Samples;
    auto types = tryTypes(op, [&](Value operand) -> Type {
      return fromSamples.contains(operand) ? typeNow(operand)
                                           : operand.getType();
    });
    return failed(types) ? BatchRole::Samples : roleOfResults(op, *types);
  }
  BatchRole roleOfReturned(OpOperand &use) const {
    BatchRole role = BatchRole::Unread;
    if (auto called = calls.find(use.getOwner()->getBlock());
        called != calls.end())
      for (CustomOp call : called->second)
        role = std::max(role,
                        roles.lookup(call->getResult(use.getOperandNumber())));
    return role;
  }
  /// How the results of `op` are read that do not have these types.
  BatchRole roleOfResults(Operation *op, mlir::TypeRange types) const {
    BatchRole role = BatchRole::Unread;
    bool differs = false;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
      if (typeNow(result) == type)
        continue;
      differs = true;
      role = std::max(role, roles.lookup(result));
    }
    return differs ? role : BatchRole::Fixed;
  }

  Type typeNow(Value value) const {
    std::optional<RankedTensorType> type = facts.typeWith(value, prime);
    MPC_ASSERT(type, "findPrime has bounded the sizes");
    return *type;
  }

  const BatchDims &facts;
  int64_t prime;
  DenseMap<Block *, SmallVector<CustomOp>> calls; ///< By their implementation.
  DenseSet<Value> fromSamples;
  DenseMap<Value, BatchRole> roles;
};

LogicalResult BatchSolver::checkRoles(FuncOp model) {
  return Roles(*this, model).check();
}
