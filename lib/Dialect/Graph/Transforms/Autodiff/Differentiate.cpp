// Purpose: build the training step of each model: the model's body followed by
// its backward pass.
// Several losses are added up to the one that is reduced. If each has a scale
// of its own (loss_scale with scope per_loss, Apex' num_losses), each also has
// a backward pass of its own, and a gradient says which loss it is of.
// Algorithm: clone the model to @<name>_step, append the seed and the reverse
// sweep (ReverseSweep.h), return one gradient per parameter that the loss
// depends on and freeze the others, drop what no gradient needed, put the
// operands of ops that stop gradients in their places, and report which values
// of the forward pass the backward keeps alive.
#include "LossTotal.h"
#include "ReverseSweep.h"
#include "ScanGradient.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/Analysis/SavedValues.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"
#include "mpc/Program/Names.h"
#include "mpc/Text/Phases.h"
#include "llvm/ADT/StringExtras.h"

namespace mpc::graph {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// A loss with a backward pass of its own; without a name there is no other.
struct Seeded {
  StringRef name;
  Value loss, seed;
};

/// The backward pass under construction, at the end of a step function.
struct Step {
  FuncOp function;
  Operation *terminator;
  SmallVector<Seeded> losses;
};

/// Erases the ops after `seed` whose results nobody uses.
void eraseUnused(Value seed, Operation *terminator) {
  Operation *op = terminator->getPrevNode();
  while (op != seed.getDefiningOp()) {
    Operation *previous = op->getPrevNode();
    if (mlir::isOpTriviallyDead(op))
      op->erase();
    op = previous;
  }
}

/// What stops gradients has nothing to say to whom nobody differentiates.
void dropStops(FuncOp function) {
  function.walk([](Operation *op) {
    if (!op->hasTrait<OpTrait::StopsGradient>())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

struct Differentiate final : impl::DifferentiateBase<Differentiate> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<FuncOp> models = llvm::filter_to_vector(
        getOperation().getOps<FuncOp>(), [](FuncOp function) {
          return isModelFunction(function) && !function->hasAttr(kEntryAttr);
        });
    for (FuncOp model : models)
      if (failed(makeEntries(model)))
        return signalPassFailure();
  }

private:
  /// The model is the entry "forward"; with a loss and parameters to train it
  /// gets a sibling "step".
  LogicalResult makeEntries(FuncOp model) {
    SmallVector<NamedLoss> losses = addLossTotal(model);
    OpBuilder builder(model);
    if (!forwardOnly && lossResult(model) &&
        !trainableParameters(model).empty()) {
      FailureOr<FuncOp> step = cloneModel(model);
      if (failed(step) || failed(appendBackward(*step, losses)))
        return failure();
    } else if (!forwardOnly && failed(reportNoStep(model))) {
      return failure();
    }
    dropStops(model);
    model->setAttr(kEntryAttr, builder.getStringAttr(program::kForwardEntry));
    return success();
  }

  FailureOr<FuncOp> cloneModel(FuncOp model) {
    std::string name = (model.getName() + "_step").str();
    if (Operation *taken = getOperation().lookupSymbol(name)) {
      InFlightDiagnostic diagnostic = model.emitError("expected the name '")
                                      << name
                                      << "' to be free for the training step";
      diagnostic.attachNote(taken->getLoc()) << "taken here";
      return diagnostic;
    }
    FuncOp step = model.clone();
    step.setName(name);
    step->setAttr(kEntryAttr,
                  StringAttr::get(&getContext(), program::kStepEntry));
    getOperation().insert(std::next(model->getIterator()), step);
    return step;
  }

  LogicalResult appendBackward(FuncOp function, ArrayRef<NamedLoss> losses) {
    Operation *terminator = function.getBody().front().getTerminator();
    SmallVector<Marked> parameters = trainableParameters(function);
    auto values = llvm::map_to_vector(
        parameters, [](const Marked &marked) { return marked.value; });
    keepCarried(function.getBody().front(), values);
    Step step{function, terminator, {}};
    if (hasScalePerLoss(function) && losses.size() > 1)
      for (const NamedLoss &loss : losses)
        step.losses.push_back(
            {loss.name, terminator->getOperand(loss.result), {}});
    else
      step.losses.push_back(
          {"", terminator->getOperand(*lossResult(function)), {}});

    std::vector<ReverseSweep> sweeps;
    for (Seeded &seeded : step.losses) {
      seeded.seed = createSeed(step, seeded);
      sweeps.emplace_back(OpBuilder(terminator), values);
      if (failed(sweeps.back().run(seeded.loss, seeded.seed)))
        return failure();
    }
    SignatureEditor signature(function);
    SmallVector<Marked> unused;
    for (const Marked &parameter : parameters)
      if (!addGradients(step, parameter, sweeps, signature)) {
        signature.markArgument(parameter.index, kFrozenAttr);
        unused.push_back(parameter);
      }
    if (failed(reportUnused(step, unused, parameters.size())))
      return failure();
    signature.finish();
    eraseUnused(step.losses.front().seed, terminator);
    dropStops(function);
    reportKept(function);
    return success();
  }

  /// The cotangent of a loss: 1, marked so that loss scaling finds it.
  Value createSeed(const Step &step, const Seeded &seeded) {
    OpBuilder builder(step.terminator);
    std::string text = "the loss";
    if (!seeded.name.empty())
      text += " '" + seeded.name.str() + "'";
    Location location = nameGradient(text, seeded.loss.getLoc());
    auto seed = ConstantOp::create(
        builder, location,
        mlir::DenseElementsAttr::get(
            cast<RankedTensorType>(seeded.loss.getType()),
            Attribute(builder.getFloatAttr(
                mlir::getElementTypeOrSelf(seeded.loss), 1.0))));
    seed->setAttr(kSeedAttr,
                  seeded.name.empty()
                      ? Attribute(builder.getUnitAttr())
                      : Attribute(builder.getStringAttr(seeded.name)));
    return seed;
  }

  /// One per loss that the parameter reaches; false if it reaches none.
  bool addGradients(const Step &step, const Marked &parameter,
                    ArrayRef<ReverseSweep> sweeps, SignatureEditor &signature) {
    bool reaches = false;
    for (auto [seeded, sweep] : llvm::zip_equal(step.losses, sweeps))
      if (Value cotangent = sweep.cotangentOf(parameter.value)) {
        signature.addResult(cotangent, kGradientAttr, parameter.name,
                            seeded.name);
        reaches = true;
      }
    return reaches;
  }

  /// Who says how a model is updated wants it to be trained. (Its precision is
  /// said for predictions, too.)
  LogicalResult reportNoStep(FuncOp model) {
    auto training = model->getAttrOfType<TrainingAttr>(kTrainingAttr);
    if (!training || !training.getOptimizer())
      return success();
    std::string text =
        ("model '" + model.getName() + "' has an optimizer, but " +
         (lossResult(model)
              ? "no parameter that is not frozen"
              : "no result that is marked 'graph.loss', as in '-> "
                "(tensor<f32> {graph.loss})'"))
            .str();
    if (werror)
      return mlir::emitError(model.getLoc()) << text;
    mlir::emitWarning(model.getLoc())
        << text << ": it gets no step and cannot be trained; to predict alone "
        << "is to compile with --inference";
    return success();
  }

  /// Of those that no gradient reaches: some do not reach the loss; some do,
  /// but through ops that stop gradients alone, as somebody has written.
  LogicalResult reportUnused(const Step &step, ArrayRef<Marked> unused,
                             size_t outOf) {
    SmallVector<Value> losses;
    for (const Seeded &seeded : step.losses)
      losses.push_back(seeded.loss);
    DenseSet<Value> reaching = findLossReach(losses, /*throughStops=*/true);
    SmallVector<Marked> stopped, unreached;
    for (const Marked &parameter : unused)
      (reaching.contains(parameter.value) ? stopped : unreached)
          .push_back(parameter);
    bool isAll = unused.size() == outOf;
    if (failed(reportFrozen(unreached,
                            unreached.size() == 1 ? "does not reach the loss"
                                                  : "do not reach the loss",
                            isAll, mlir::DiagnosticSeverity::Warning)))
      return failure();
    return reportFrozen(stopped,
                        stopped.size() == 1
                            ? "reaches the loss, but no gradient reaches it"
                            : "reach the loss, but no gradient reaches them",
                        isAll, mlir::DiagnosticSeverity::Remark);
  }

  /// One message for all of them: a model whose head was taken off has many.
  LogicalResult reportFrozen(ArrayRef<Marked> frozen, StringRef why, bool isAll,
                             mlir::DiagnosticSeverity severity) {
    if (frozen.empty())
      return success();
    bool isOne = frozen.size() == 1;
    std::string names = llvm::join(
        llvm::map_range(frozen,
                        [](const Marked &parameter) {
                          return ("'" + parameter.name.getValue() + "'").str();
                        }),
        ", ");
    std::string text =
        isOne ? ("parameter " + Twine(names) + " " + why).str()
              : (Twine(frozen.size()) + " parameters " + why + ": " + names)
                    .str();
    Location location = frozen.front().value.getLoc();
    if (isAll)
      return mlir::emitError(location)
             << text << "; a step has nothing to train";
    if (werror && severity == mlir::DiagnosticSeverity::Warning)
      return mlir::emitError(location) << text;
    getContext().getDiagEngine().emit(location, severity)
        << text << "; no step changes " << (isOne ? "it" : "them");
    return success();
  }

  /// A remark for each result of the forward pass that the backward uses.
  void reportKept(FuncOp function) {
    int64_t total = 0;
    SmallVector<OpResult> saved = findSavedValues(function);
    for (OpResult value : saved) {
      total += getBytes(cast<RankedTensorType>(value.getType()));
      reportKept(function, value);
    }
    if (printSaved)
      mlir::emitRemark(function->getLoc(), "kept for the backward: ")
          << saved.size() << " values, " << total << " bytes";
  }

  void reportKept(FuncOp function, OpResult value) {
    StringRef name = value.getOwner()->getName().getStringRef();
    auto type = cast<RankedTensorType>(value.getType());
    mlir::remark::analysis(value.getLoc(),
                           mlir::remark::RemarkOpts::name("kept")
                               .category("mpc-differentiate")
                               .function(function.getName()))
        << mlir::remark::metric("value", name)
        << mlir::remark::metric("bytes", getBytes(type));
    if (printSaved)
      mlir::emitRemark(value.getLoc(), "kept for the backward: ")
          << type << " of " << name << ", " << getBytes(type) << " bytes";
  }
};

} // namespace
