// Purpose: of a module with observations, keep what they need: the entry
// `probe`, which changes no state, and `init`.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_KEEPPROBES
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

bool isObserved(FuncOp func) {
  return !func.isExternal() && !func.getOps<ObserveOp>().empty();
}

void dropResults(FuncOp func) {
  func.getBody().front().getTerminator()->setOperands({});
  func.setAllResultAttrs(ArrayRef<DictionaryAttr>());
  func.setFunctionType(mlir::FunctionType::get(
      func.getContext(), func.getArgumentTypes(), TypeRange()));
}

/// Ops that no observation needs, and arguments that are no inputs.
void dropUnused(FuncOp func) {
  Block &body = func.getBody().front();
  eraseDeadOps(body);
  llvm::BitVector unused(func.getNumArguments());
  for (auto argument : body.getArguments())
    if (argument.use_empty() &&
        !func.getArgAttr(argument.getArgNumber(), kInputAttr))
      unused.set(argument.getArgNumber());
  (void)func.eraseArguments(unused); // fails for a declaration only
}

struct KeepProbes final : graph::impl::KeepProbesBase<KeepProbes> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<FuncOp> functions(getOperation().getOps<FuncOp>());
    if (llvm::none_of(functions, isObserved)) {
      getOperation().emitError("expected a function with observations, but "
                               "there is none; run mpc-insert-probes first");
      return signalPassFailure();
    }
    for (FuncOp func : functions) {
      if (isObserved(func))
        makeProbe(func);
      else if (func->getAttr(kEntryAttr) !=
               StringAttr::get(&getContext(), "init"))
        func.erase();
    }
  }

  void makeProbe(FuncOp func) {
    dropResults(func);
    dropUnused(func);
    func->setAttr(kEntryAttr,
                  StringAttr::get(&getContext(), program::kProbeEntry));
  }
};

} // namespace
