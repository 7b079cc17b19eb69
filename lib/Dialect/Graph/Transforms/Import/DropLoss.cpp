// Purpose: leave of a model what its outputs need, for prediction: no loss, and
// no input that only the loss was for.
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "llvm/ADT/BitVector.h"

namespace mpc::graph {
#define GEN_PASS_DEF_DROPLOSS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

void reportDropped(FuncOp model, StringRef mark, StringRef what) {
  for (const Marked &argument : markedArguments(model, mark))
    if (argument.value.use_empty())
      mlir::remark::analysis(argument.value.getLoc(),
                             mlir::remark::RemarkOpts::name("dropped")
                                 .category("mpc-drop-loss")
                                 .function(model.getName()))
          << (what + " '" + argument.name.getValue() +
              "' is left out: no output depends on it")
                 .str();
}

/// Ops whose results nobody reads, then arguments that nobody reads.
void dropUnused(FuncOp model) {
  Block &body = model.getBody().front();
  eraseDeadOps(body);
  reportDropped(model, kInputAttr, "input");
  reportDropped(model, kParameterAttr, "parameter");
  reportDropped(model, kStateAttr, "running statistic");
  llvm::BitVector unused(model.getNumArguments());
  for (auto argument : body.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)model.eraseArguments(unused); // fails for a declaration only
}

struct DropLoss final : graph::impl::DropLossBase<DropLoss> {
  using Base::Base;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<FuncOp>())
      // What is no model yet is for the gate to say.
      if (isModelFunction(model) && !model->hasAttr(kEntryAttr) &&
          model.getBody().hasOneBlock() && lossResult(model))
        if (failed(drop(model)))
          return signalPassFailure();
    eraseUnusedImplementations(getOperation());
  }

private:
  LogicalResult drop(FuncOp model) {
    SignatureEditor signature(model);
    signature.dropResults(kLossAttr);
    signature.finish();
    if (model.getNumResults() == 0)
      return model.emitError(
          "expected an output beside the loss, which is dropped: mark what "
          "the model predicts as a result with graph.output = \"NAME\"");
    std::optional<int64_t> batch = BatchDims::findBatch(model);
    dropUnused(model);
    // Data are cut into batches by the first input that has a dim.
    if (std::optional<int64_t> left = BatchDims::findBatch(model);
        left && left != batch)
      return model.emitError("expected inputs without those of the loss to "
                             "begin with one of a batch of ")
             << *batch << ", but the first has " << *left
             << " rows; put an input of samples in front";
    return success();
  }
};

} // namespace
