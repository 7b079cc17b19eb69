// Gate of stage autodiff: the step begins like the forward, starts from one
// seed of ones (or one per loss), has one gradient per parameter that is not
// frozen (and loss), in the parameter's type, no derivative is computed
// narrower than its primal, and nothing is left that stops gradients.
#include "../StepFlow.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/StringSet.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYAUTODIFF
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// A constant of ones; of the loss's type, where it is the only loss.
static LogicalResult checkSeed(Operation *seed, Type lossType) {
  mlir::DenseFPElementsAttr value;
  bool isOnes =
      seed->getNumResults() == 1 &&
      mlir::matchPattern(seed->getResult(0), mlir::m_Constant(&value)) &&
      value.isSplat() &&
      value.getSplatValue<llvm::APFloat>().isExactlyValue(1.0);
  bool isOnly = isa<mlir::UnitAttr>(seed->getAttr(kSeedAttr));
  if (isOnes && (!isOnly || seed->getResult(0).getType() == lossType))
    return success();
  return seed->emitError() << "expected the seed to be a constant of ones of "
                              "the loss type "
                           << lossType << ", but got another op";
}

/// One seed, or one for each of several losses.
static LogicalResult checkSeeds(FuncOp step) {
  std::optional<unsigned> loss = lossResult(step);
  if (!loss)
    return step.emitError("expected a step to return the loss it reduces, but "
                          "no result is marked 'graph.loss'");
  DenseMap<Attribute, Operation *> seeds;
  for (Operation &op : step.getBody().front()) {
    Attribute mark = op.getAttr(kSeedAttr);
    if (!mark)
      continue;
    Operation *other = seeds.lookup(mark);
    if (!other && !seeds.empty() &&
        (isa<mlir::UnitAttr>(mark) ||
         isa<mlir::UnitAttr>(seeds.begin()->first)))
      other = seeds.begin()->second;
    if (other) {
      auto error = op.emitError("expected one seed, but got a second one");
      error.attachNote(other->getLoc()) << "the first one";
      return error;
    }
    seeds[mark] = &op;
    if (failed(checkSeed(&op, step.getResultTypes()[*loss])))
      return failure();
  }
  if (seeds.empty())
    return step.emitError("expected a constant marked 'graph.seed' as "
                          "cotangent of the loss, but got none");
  return success();
}

static LogicalResult checkGradients(FuncOp step) {
  llvm::StringMap<Type> expected;
  for (const Marked &parameter : trainableParameters(step))
    expected[parameter.name] = parameter.value.getType();
  llvm::StringMap<Location> seen;
  llvm::StringSet<> ofLosses;
  for (const Marked &gradient : markedResults(step, kGradientAttr)) {
    StringRef name = gradient.name.getValue();
    Location at = locationOf(gradient.value, step);
    auto type = expected.find(name);
    if (type == expected.end())
      return mlir::emitError(at)
             << "expected the gradient of a parameter that is trained, but got "
                "one of '"
             << name << "'";
    if (type->second != gradient.value.getType())
      return mlir::emitError(at)
             << "expected the gradient of '" << name << "' in its type "
             << type->second << ", but got " << gradient.value.getType();
    auto of = step.getResultAttrOfType<StringAttr>(gradient.index, kOfAttr);
    std::string key = (name + " of " + (of ? of.getValue() : "")).str();
    auto [first, isNew] = seen.try_emplace(name, at);
    if (!ofLosses.insert(key).second) {
      auto error = mlir::emitError(at)
                   << "expected one gradient of '" << name << "', but got two";
      error.attachNote(first->second) << "the first one";
      return error;
    }
  }
  for (const Marked &parameter : trainableParameters(step))
    if (!seen.contains(parameter.name))
      return step.emitError() << "expected a gradient of '"
                              << parameter.name.getValue() << "', but got none";
  return success();
}

/// Bits of the narrowest float type that `op` reads or writes; 0 if none.
static unsigned narrowest(Operation &op) {
  unsigned bits = 0;
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op.getOperandTypes()),
                                      SmallVector<Type>(op.getResultTypes())))
    if (auto element = dyn_cast<FloatType>(mlir::getElementTypeOrSelf(type)))
      bits = bits ? std::min(bits, element.getWidth()) : element.getWidth();
  return bits;
}

/// An op of the backward stands at its primal's location and is not narrower.
/// Casts change precision because that is what they are for.
static LogicalResult checkPrecision(FuncOp step) {
  DenseMap<Location, Operation *> primals;
  bool isBackward = false;
  for (Operation &op : step.getBody().front().without_terminator()) {
    isBackward |= op.hasAttr(kSeedAttr);
    unsigned bits = narrowest(op);
    if (isa<CastOp>(op) || !bits)
      continue;
    if (!isBackward) {
      Operation *&primal = primals[op.getLoc()];
      if (!primal || bits < narrowest(*primal))
        primal = &op;
      continue;
    }
    Operation *primal = primals.lookup(op.getLoc());
    if (!primal || bits >= narrowest(*primal))
      continue;
    auto error = op.emitError()
                 << "expected the derivative of '" << primal->getName()
                 << "' in at least its " << narrowest(*primal)
                 << " bits, but got " << bits;
    error.attachNote(primal->getLoc()) << "the primal";
    return error;
  }
  return success();
}

/// The forward's signature is a prefix of the step's.
static LogicalResult checkForward(FuncOp step, FuncOp forward) {
  if (!llvm::equal(forward.getArgumentTypes(), step.getArgumentTypes())) {
    auto error = step.emitError()
                 << "expected the step to take the forward's arguments "
                 << forward.getFunctionType().getInputs() << ", but got "
                 << step.getFunctionType().getInputs();
    error.attachNote(forward.getLoc()) << "the forward";
    return error;
  }
  auto results = step.getResultTypes();
  if (results.size() < forward.getNumResults() ||
      !llvm::equal(forward.getResultTypes(),
                   results.take_front(forward.getNumResults()))) {
    auto error = step.emitError()
                 << "expected the step to return the forward's results "
                 << forward.getFunctionType().getResults() << " first, but got "
                 << step.getFunctionType().getResults();
    error.attachNote(forward.getLoc()) << "the forward";
    return error;
  }
  return success();
}

/// A backward that is there already would not know of one.
static LogicalResult checkStops(ModuleOp module) {
  auto walked = module.walk([](Operation *op) -> mlir::WalkResult {
    if (!op->hasTrait<OpTrait::StopsGradient>())
      return mlir::WalkResult::advance();
    return op->emitError() << "expected nothing that stops gradients behind "
                              "the pass that builds them, mpc-differentiate, "
                              "but got '"
                           << op->getName() << "'";
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct VerifyAutodiff final : impl::VerifyAutodiffBase<VerifyAutodiff> {
  using Base::Base;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(verifyStates(getOperation())) ||
        failed(checkStops(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    SmallVector<FuncOp> forwards =
        entryFunctions(module, program::kForwardEntry);
    for (FuncOp step : entryFunctions(module, program::kStepEntry)) {
      if (forwards.size() != 1) {
        step.emitError() << "expected one forward entry beside the step, but "
                            "got "
                         << forwards.size();
        return signalPassFailure();
      }
      if (failed(checkForward(step, forwards.front())) ||
          failed(checkSeeds(step)) || failed(checkGradients(step)) ||
          failed(checkPrecision(step)))
        return signalPassFailure();
    }
  }
};
} // namespace
