#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mlir/IR/SymbolTable.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "llvm/ADT/MapVector.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

AutocastRegionAttr mpc::graph::nestRegions(AutocastRegionAttr outer,
                                           AutocastRegionAttr inner) {
  // What is recomputed is marked apart.
  if (inner && inner.getRecompute())
    inner = AutocastRegionAttr::get(inner.getContext(), inner.getName(),
                                    inner.getEnabled(), inner.getDtype(),
                                    inner.getLists(), /*recompute=*/false);
  if (!outer || !inner)
    return inner ? inner : outer;
  std::string name = outer.getName().str();
  if (!name.empty() && !inner.getName().empty())
    name += "/";
  name += inner.getName();
  return AutocastRegionAttr::get(
      inner.getContext(), name, inner.getEnabled(),
      inner.getDtype() ? inner.getDtype() : outer.getDtype(),
      inner.getLists().empty() ? outer.getLists() : inner.getLists(),
      /*recompute=*/false);
}

void mpc::graph::inheritRecompute(CustomOp call, Operation *op,
                                  Operation *copy) {
  bool isInside = call->hasAttr(kRecomputeInsideAttr);
  if (!isInside && !call->hasAttr(kRecomputeAttr))
    return;
  bool isReturned = llvm::any_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<mlir::OpTrait::IsTerminator>();
  });
  auto unit = mlir::UnitAttr::get(op->getContext());
  if (!isInside || !isReturned)
    copy->setAttr(kRecomputeAttr, unit);
  else if (isa<CustomOp>(copy))
    copy->setAttr(kRecomputeInsideAttr, unit);
}

FuncOp mpc::graph::getImplementation(CustomOp call,
                                     mlir::SymbolTableCollection &symbols) {
  return symbols.lookupNearestSymbolFrom<FuncOp>(call,
                                                 call.getImplementationAttr());
}

bool mpc::graph::isImplementation(FuncOp func) {
  return func.isPrivate() && !func.isExternal();
}

namespace {
/// What a function becomes when the implementations that it calls stand in it.
struct Expansion {
  int64_t ops = 0;
  int64_t depth = 0; ///< Of calls in calls.
};

/// Depth first over the calls. A function that is met while it is open reaches
/// itself. Each function is expanded once, in numbers only: calls of calls
/// double with every level, and the ops would not fit into memory.
class CallCheck {
public:
  FailureOr<Expansion> visit(FuncOp func) {
    auto known = done.find(func);
    if (known != done.end())
      return known->second;
    open.push_back(func);
    Expansion expansion;
    auto walked = func.walk([&](Operation *op) {
      ++expansion.ops;
      auto call = dyn_cast<CustomOp>(op);
      return call && failed(enter(call, expansion))
                 ? mlir::WalkResult::interrupt()
                 : mlir::WalkResult::advance();
    });
    open.pop_back();
    if (walked.wasInterrupted())
      return failure();
    done[func] = expansion;
    return expansion;
  }

private:
  LogicalResult enter(CustomOp call, Expansion &caller) {
    FuncOp callee = getImplementation(call, symbols);
    if (llvm::is_contained(open, callee))
      return reportRecursion(callee, call);
    if (static_cast<int64_t>(open.size()) > kDeepestCalls)
      return reportDepth(call);
    calls.push_back(call);
    FailureOr<Expansion> inner = visit(callee);
    calls.pop_back();
    if (failed(inner))
      return failure();
    caller.ops += inner->ops;
    caller.depth = std::max(caller.depth, inner->depth + 1);
    if (caller.depth > kDeepestCalls)
      return reportDepth(call);
    if (caller.ops > kMostInlinedOps)
      return call.emitOpError("expected at most ")
             << kMostInlinedOps
             << " ops with implementations in place, but they are "
             << caller.ops << " up to this call of '"
             << call.getImplementation() << "'";
    return success();
  }

  static LogicalResult reportDepth(CustomOp call) {
    return call.emitOpError("expected implementations that call each other "
                            "at most ")
           << kDeepestCalls << " deep, but '" << call.getImplementation()
           << "' is deeper";
  }

  LogicalResult reportRecursion(FuncOp callee, CustomOp last) {
    InFlightDiagnostic error =
        callee.emitError() << "expected an implementation that does not call "
                              "itself, but '"
                           << callee.getName() << "' does";
    for (CustomOp call : calls)
      error.attachNote(call.getLoc()) << "called here";
    error.attachNote(last.getLoc()) << "called here";
    return error;
  }

  mlir::SymbolTableCollection symbols;
  SmallVector<FuncOp> open;
  SmallVector<CustomOp> calls;
  DenseMap<FuncOp, Expansion> done;
};
} // namespace

LogicalResult mpc::graph::checkCalls(ModuleOp module) {
  CallCheck check;
  for (auto func : module.getOps<FuncOp>())
    if (failed(check.visit(func)))
      return failure();
  return success();
}

/// Marks what is named from outside of implementations, and by what is marked;
/// then sweeps. Each op is looked at once.
bool mpc::graph::eraseUnusedImplementations(ModuleOp module) {
  llvm::MapVector<StringAttr, FuncOp> unmarked;
  SmallVector<Operation *> open{module};
  for (Operation &op : *module.getBody())
    if (auto func = dyn_cast<FuncOp>(op); func && isImplementation(func))
      unmarked[func.getSymNameAttr()] = func;
    else
      open.push_back(&op);
  while (!open.empty() && !unmarked.empty()) {
    auto uses = mlir::SymbolTable::getSymbolUses(open.pop_back_val());
    if (!uses) // There may be some that nobody can see.
      return false;
    for (mlir::SymbolTable::SymbolUse use : *uses) {
      auto named = unmarked.find(use.getSymbolRef().getRootReference());
      if (named == unmarked.end() || !named->second)
        continue;
      open.push_back(named->second);
      named->second = nullptr;
    }
  }
  bool erased = false;
  for (auto &[name, func] : unmarked)
    if (func) {
      func.erase();
      erased = true;
    }
  return erased;
}
