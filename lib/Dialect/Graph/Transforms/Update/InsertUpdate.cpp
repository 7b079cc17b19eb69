// Purpose: turn the gradients of a step into its next state, on the device,
// without asking the host.
//
// Order, each part in a file of Update/: gradients that the caller wants to
// see, norms and clip of the unscaled gradients, skip, counters, learning
// rates, optimizer, 16-bit copies. Skip is a select between the old and the new
// value, so a skipped step leaves every bit of parameters, moments and counters
// of steps.
#include "../SettingOptions.h"
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Dialect/Graph/Transforms/WeightCopies.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INSERTUPDATE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static LogicalResult insertUpdate(FuncOp func, TrainingAttr training) {
  FailureOr<SmallVector<UpdateGroup>> groups = collectGroups(func, training);
  if (failed(groups))
    return failure();
  StepBuilder b(func);
  b.signature.dropResults(kGradientAttr);
  b.signature.dropResults(kFoundInfAttr);
  if (failed(dropOutputs(func, b.signature, training)) ||
      failed(outputGradients(b, training, *groups)))
    return failure();
  Value nonfiniteNorm = clipGradients(b, training, *groups);
  Value nonfinite = decideSkips(b, training, nonfiniteNorm, *groups);
  if (failed(countSteps(b, nonfinite, *groups)) ||
      failed(setLearningRates(b, *groups)) ||
      failed(updateParameters(b, *groups)))
    return failure();
  b.signature.finish();
  return success();
}

namespace {
struct InsertUpdate final
    : WithSettings<impl::InsertUpdateBase<InsertUpdate>, SettingKind::Update> {
  using WithSettings::WithSettings;

  FailureOr<TrainingAttr> effective(FuncOp func) {
    FailureOr<TrainingAttr> training = effectiveTraining(func);
    if (succeeded(training) && !training->getOptimizer())
      return func.emitError() << "expected an optimizer for the step, but "
                                 "'graph.training' names none; give option "
                                 "'optimizer' ("
                              << optimizerNames() << ") and 'lr'";
    return training;
  }

  LogicalResult runOn(FuncOp func) {
    FailureOr<TrainingAttr> training = effective(func);
    if (failed(training))
      return failure();
    func->setAttr(kTrainingAttr, *training);
    return insertUpdate(func, *training);
  }

  /// A micro-batch returns what a step does of the model.
  LogicalResult dropOutputsOf(FuncOp accumulate) {
    FailureOr<TrainingAttr> training = effectiveTraining(accumulate);
    if (failed(training))
      return failure();
    SignatureEditor signature(accumulate);
    if (failed(dropOutputs(accumulate, signature, *training)))
      return failure();
    signature.finish();
    return success();
  }

  /// What the step says, or the forward where there is none: entries share the
  /// copies.
  FailureOr<bool> keepsCopies() {
    SmallVector<FuncOp> entries =
        entryFunctions(getOperation(), program::kStepEntry);
    llvm::append_range(entries,
                       entryFunctions(getOperation(), program::kForwardEntry));
    if (entries.empty())
      return false;
    FailureOr<TrainingAttr> training = effectiveTraining(entries.front());
    if (failed(training))
      return failure();
    return training->getNumerics().weightCopies == WeightCopies::Persistent;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<bool> keepsCopies = this->keepsCopies();
    if (failed(keepsCopies))
      return signalPassFailure();
    SmallVector<FuncOp> steps = entryFunctions(module, program::kStepEntry);
    for (FuncOp func : steps)
      if (failed(runOn(func)))
        return signalPassFailure();
    for (FuncOp func : entryFunctions(module, program::kAccumulateEntry))
      if (failed(dropOutputsOf(func)))
        return signalPassFailure();
    if (*keepsCopies && failed(publishWeightCopies(module)))
      signalPassFailure();
  }
};
} // namespace
