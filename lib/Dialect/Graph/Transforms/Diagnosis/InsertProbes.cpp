// Purpose: observe every float value of the step, so that one run tells where
// the first infinity came from, and in which range each value lies.
// Algorithm: number the arguments and the results in order, put a
// graph.observe after each; the seed parts forward and backward.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h"
#include "mpc/Dialect/Graph/Precision/ValueNames.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INSERTPROBES
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

bool isFloat(Value value) {
  return isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value));
}

/// Name and kind of an argument: "w", "parameter".
std::pair<StringRef, StringRef> describeArgument(FuncOp func, unsigned index) {
  auto text = [&](StringRef mark) {
    auto attr = func.getArgAttrOfType<StringAttr>(index, mark);
    return attr ? attr.getValue() : StringRef();
  };
  if (StringRef name = text(kInputAttr); !name.empty())
    return {name, "input"};
  if (StringRef name = text(kParameterAttr); !name.empty())
    return {name, "parameter"};
  StateAttr state = getState(func, index);
  return {state.getName(), stringifyRole(state.getRole())};
}

/// The op, and for a cast that a pass put in, why.
std::string describeOp(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto cast = dyn_cast<CastOp>(op); cast && cast.getReason())
    text += " (" + cast.getReason().str() + ")";
  return text;
}

/// Observes the values of one function.
class Prober {
public:
  explicit Prober(FuncOp func) : func(func), builder(func.getContext()) {
    Operation *exit = func.getBody().front().getTerminator();
    if (std::optional<unsigned> loss = lossResult(func))
      sinks[exit->getOperand(*loss)] = "";
    for (const Marked &gradient : markedResults(func, kGradientAttr))
      sinks.try_emplace(gradient.value, gradient.name.str() + ".grad");
    bool isAfterSeed = false;
    for (Operation &op : func.getBody().front().without_terminator()) {
      isAfterSeed |= op.hasAttr(kSeedAttr);
      if (isAfterSeed)
        backward.insert(&op);
    }
  }

  void run() {
    Block &body = func.getBody().front();
    builder.setInsertionPointToStart(&body);
    for (auto argument : body.getArguments())
      if (isFloat(argument)) {
        auto [name, what] = describeArgument(func, argument.getArgNumber());
        observe(argument, name, what, {});
      }
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!isa<ObserveOp>(op))
        observeResults(&op);
  }

private:
  /// Whether an op leaves `result`, beside another, for its gradient alone:
  /// what is infinite there, as the log-sum-exp of a query that sees no key,
  /// has a meaning, and is no overflow.
  bool isForGradient(OpResult result) const {
    Operation *op = result.getOwner();
    return op->getNumResults() > 1 && !backward.contains(op) &&
           !result.use_empty() &&
           llvm::all_of(result.getUsers(), [&](Operation *user) {
             return backward.contains(user);
           });
  }

  void observeResults(Operation *op) {
    isBackward |= op->hasAttr(kSeedAttr);
    SmallVector<int64_t> reads;
    for (Value operand : op->getOperands())
      if (auto found = numbers.find(operand); found != numbers.end())
        reads.push_back(found->second);
    builder.setInsertionPointAfter(op);
    for (OpResult result : op->getResults())
      if (isFloat(result) && !isForGradient(result)) {
        std::string name = names.get(result, isBackward);
        std::string gradient = sinks.lookup(result);
        observe(result, gradient.empty() ? name : gradient, describeOp(op),
                reads);
      }
  }

  /// `wanted`, or with a number after it: a gradient and its sum over
  /// micro-batches go by one name.
  std::string makeUnique(StringRef wanted) {
    unsigned count = ++taken[wanted];
    return count == 1 ? wanted.str() : (wanted + "." + Twine(count)).str();
  }

  void observe(Value value, StringRef name, StringRef what,
               ArrayRef<int64_t> reads) {
    int64_t number = numbers.size();
    ObserveOp::create(builder, value.getLoc(), number, value, makeUnique(name),
                      what, reads, isBackward, sinks.contains(value));
    numbers[value] = number;
  }

  FuncOp func;
  OpBuilder builder;
  ValueNames names;
  /// The loss, and gradients with the names that they go by.
  DenseMap<Value, std::string> sinks;
  DenseMap<Value, int64_t> numbers;
  llvm::StringMap<unsigned> taken; ///< Names, and how often.
  llvm::SmallPtrSet<Operation *, 32> backward;
  bool isBackward = false;
};

struct InsertProbes final : graph::impl::InsertProbesBase<InsertProbes> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<FuncOp> functions =
        entryFunctions(getOperation(), program::kStepEntry);
    if (functions.empty())
      functions = entryFunctions(getOperation(), program::kForwardEntry);
    if (functions.empty()) {
      getOperation().emitError("expected an entry 'step' or 'forward' to "
                               "observe, but there is none; run "
                               "mpc-differentiate first");
      return signalPassFailure();
    }
    for (FuncOp function : functions)
      Prober(function).run();
  }
};

} // namespace
