#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mlir/IR/SymbolTable.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

AutocastRegionAttr mpc::graph::nestRegions(AutocastRegionAttr outer,
                                           AutocastRegionAttr inner) {
  if (!outer || !inner)
    return inner ? inner : outer;
  std::string name = outer.getName().str();
  if (!name.empty() && !inner.getName().empty())
    name += "/";
  name += inner.getName();
  return AutocastRegionAttr::get(
      inner.getContext(), name, inner.getEnabled(),
      inner.getDtype() ? inner.getDtype() : outer.getDtype(),
      inner.getLists().empty() ? outer.getLists() : inner.getLists());
}

FuncOp mpc::graph::getImplementation(CustomOp call) {
  return mlir::SymbolTable::lookupNearestSymbolFrom<FuncOp>(
      call, call.getImplementationAttr());
}

bool mpc::graph::isImplementation(FuncOp func) {
  return func.isPrivate() && !func.isExternal();
}

namespace {
/// Depth first over the calls. A function that is met while it is open reaches
/// itself.
class RecursionCheck {
public:
  LogicalResult visit(FuncOp func) {
    if (done.contains(func.getOperation()))
      return success();
    open.push_back(func);
    auto walked = func.walk([&](CustomOp call) {
      return failed(enter(call)) ? mlir::WalkResult::interrupt()
                                 : mlir::WalkResult::advance();
    });
    open.pop_back();
    done.insert(func.getOperation());
    return failure(walked.wasInterrupted());
  }

private:
  LogicalResult enter(CustomOp call) {
    FuncOp callee = getImplementation(call);
    calls.push_back(call);
    LogicalResult result =
        llvm::is_contained(open, callee) ? report(callee) : visit(callee);
    calls.pop_back();
    return result;
  }

  LogicalResult report(FuncOp callee) {
    InFlightDiagnostic error =
        callee.emitError() << "expected an implementation that does not call "
                              "itself, but '"
                           << callee.getName() << "' does";
    for (CustomOp call : calls)
      error.attachNote(call.getLoc()) << "called here";
    return error;
  }

  SmallVector<FuncOp> open;
  SmallVector<CustomOp> calls;
  llvm::SmallPtrSet<Operation *, 8> done;
};
} // namespace

LogicalResult mpc::graph::checkRecursion(ModuleOp module) {
  RecursionCheck check;
  for (auto func : module.getOps<FuncOp>())
    if (failed(check.visit(func)))
      return failure();
  return success();
}

bool mpc::graph::eraseUnusedImplementations(ModuleOp module) {
  bool changed = true, erased = false;
  while (changed) { // An implementation may hold the last call of another.
    changed = false;
    for (auto func : llvm::make_early_inc_range(module.getOps<FuncOp>()))
      if (isImplementation(func) &&
          mlir::SymbolTable::symbolKnownUseEmpty(func, module)) {
        func.erase();
        changed = erased = true;
      }
  }
  return erased;
}
