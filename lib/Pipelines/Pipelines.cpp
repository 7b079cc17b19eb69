// The story of the compiler. Each stage does one thing to the module and ends
// in a gate that checks what the next stages rely on. docs/Pipeline.md has the
// invariants in a table.
#include "mpc/Pipelines/Pipelines.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Conversion/Passes.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"
#include "mpc/Pipelines/Passes.h"
#include "mpc/Text/Numbers.h"

using namespace mpc;
using mlir::OpPassManager;

//===-- gates: what a stage may rely on ----------------------------------===//

/// Ends its stage; and begins a pipeline that starts after it, since a dump
/// that was edited promises nothing.
static void addGate(OpPassManager &pm, Stage stage) {
  switch (stage) {
  case Stage::Import:
    return pm.addPass(graph::createVerifyImport());
  case Stage::Autocast:
    return pm.addPass(graph::createVerifyAutocast());
  case Stage::Autodiff:
    return pm.addPass(graph::createVerifyAutodiff());
  case Stage::Scale:
    return pm.addPass(graph::createVerifyScale());
  case Stage::Accumulate:
    return pm.addPass(graph::createVerifyAccumulate());
  case Stage::Reduce:
    return pm.addPass(graph::createVerifyReduce());
  case Stage::Update:
    return pm.addPass(graph::createVerifyUpdate());
  case Stage::Simplify:
    return pm.addPass(graph::createVerifySimplify());
  case Stage::Group:
    return pm.addPass(graph::createVerifyGroup());
  case Stage::Exec:
    return pm.addPass(exec::createVerifyExec());
  case Stage::Program:
    return; // The reader of program files checks them.
  }
}

//===-- import: what is to be trained, and how ---------------------------===//

static void buildImport(OpPassManager &pm, const PipelineOptions &options) {
  // First of all, so that every later dump shows the settings in effect.
  graph::SettingTexts training = options.training;
  if (options.probe) // a value is seen as it is stored
    training["rounding"] = "strict";
  graph::BuiltParts parts = options.builtParts();
  pm.addPass(
      graph::createApplyOptions(training, {.forwardOnly = !parts.step,
                                           .probe = options.probe,
                                           .oneRank = !parts.allReduce}));
  // One block per model from here on: regions are attributes of their ops.
  pm.addPass(graph::createInlineRegions());
  // A model of the user's making from here on, of fewer results and another
  // size: what comes after, the first gate included, sees nothing special.
  if (options.dropLoss)
    pm.addPass(graph::createDropLoss());
  if (int64_t batch = options.batchSize())
    pm.addPass(graph::createSetBatch({batch}));
  addGate(pm, Stage::Import);
}

//===-- autocast: at which precision each op runs ------------------------===//

static void buildAutocast(OpPassManager &pm, const PipelineOptions &options) {
  // Before autodiff: the backward then inherits precisions op by op, and saves
  // its tensors in the narrow type.
  graph::AutocastOptions autocast;
  autocast.policy = options.policy;
  autocast.policyFile = options.policyFile;
  autocast.precisionProfile = options.precisionProfile;
  if (!options.profileOverflow.empty())
    autocast.profileOverflow = options.profileOverflow;
  if (!options.profileFlush.empty())
    autocast.profileFlush = options.profileFlush;
  pm.addPass(graph::createAutocast(autocast));
  // After autocast, to which a custom op is one op; then nothing is hidden
  // from the lint and from autodiff.
  pm.addPass(graph::createInlineCustom());
  // Before equal ops are merged, and before the backward draws the same again.
  pm.addPass(graph::createNumberRandom());
  graph::LintPrecisionOptions lint;
  if (!options.lint.empty())
    lint.severity = options.lint;
  pm.addPass(graph::createLintPrecision(lint));
  addGate(pm, Stage::Autocast);
}

//===-- autodiff: a gradient for each parameter --------------------------===//

static void buildAutodiff(OpPassManager &pm, const PipelineOptions &options) {
  // While a loss is one op, and one function has the inputs.
  pm.addPass(graph::createMarkInputs());
  graph::DifferentiateOptions differentiate;
  differentiate.werror = options.werror;
  differentiate.forwardOnly = options.inference;
  pm.addPass(graph::createDifferentiate(differentiate));
  // While a batch norm is one op, and one run is one batch.
  pm.addPass(graph::createTrackStatistics());
  addGate(pm, Stage::Autodiff);
}

//===-- scale: gradients out of the underflow ----------------------------===//

static void buildScale(OpPassManager &pm) {
  // Needs the seed alone: everything after it is linear in it.
  pm.addPass(graph::createScaleLoss());
  addGate(pm, Stage::Scale);
}

//===-- accumulate: one gradient of all micro-batches --------------------===//

static void buildAccumulate(OpPassManager &pm) {
  // Sums of scaled gradients: small ones are not lost, and one unscale and one
  // check after the last micro-batch see them all.
  pm.addPass(graph::createAccumulateGradients());
  addGate(pm, Stage::Accumulate);
}

//===-- reduce: one gradient on all ranks --------------------------------===//

static void buildReduce(OpPassManager &pm, const PipelineOptions &options) {
  // After scale, in front of unscale: the check of found_inf then sees values
  // that are equal on every rank, so ranks agree without another message.
  graph::InsertAllReduceOptions reduce;
  if (options.probe)
    reduce.reduceKind = "none";
  else if (!options.reduce.empty())
    reduce.reduceKind = options.reduce;
  pm.addPass(graph::createInsertAllReduce(reduce));
  addGate(pm, Stage::Reduce);
  // Here every value of forward and backward is there, and no update yet.
  if (options.probe)
    pm.addPass(graph::createInsertProbes());
}

//===-- update: the next state -------------------------------------------===//

static void buildUpdate(OpPassManager &pm, const PipelineOptions &options) {
  // Last of the training stages, because it consumes the gradients. Weight
  // copies also serve inference, which has no step.
  pm.addPass(graph::createInsertUpdate());
  // When all that reads and makes a parameter is there.
  pm.addPass(graph::createNarrowMasters());
  // No stage before has another meaning for evaluation than for training.
  pm.addPass(graph::createSeedRandom());
  addGate(pm, Stage::Update);
  // After the gate, which still sees a step.
  if (options.probe)
    pm.addPass(graph::createKeepProbes());
}

//===-- simplify: nothing twice, nothing for nothing ---------------------===//

static void buildSimplify(OpPassManager &pm) {
  // While forward and backward still are ops of the model, and before
  // transposes that meet are folded.
  pm.addPass(graph::createAssignLayouts());
  // Canonical form first: it makes equal what CSE then finds equal. Casts when
  // the values they could be merged into are unique; what they no longer read
  // is dead, and what now reads the same is equal, hence CSE once more. Pads
  // before, since a cast moves past a concat and not past a sum.
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  pm.addPass(graph::createJoinPads());
  pm.addPass(graph::createFoldCasts());
  pm.addPass(mlir::createCSEPass());
  addGate(pm, Stage::Simplify);
}

//===-- group: what one kernel or one call executes ----------------------===//

static void addGrouping(OpPassManager &pm) {
  // When nothing merges values any more but what is equal to the last operand.
  pm.addPass(graph::createRecompute());
  // While optimizers still are one op each. Then composites, last of all: every
  // stage above sees softmax as softmax. Their parts repeat between forward and
  // backward, hence CSE.
  pm.addPass(graph::createFuseUpdates());
  pm.addPass(graph::createDecompose());
  pm.addPass(mlir::createCSEPass());
  // When forward and backward of a loss are equal as far as they go.
  pm.addPass(graph::createChunkRows());
  pm.addPass(graph::createHoistUpdates());
  pm.addPass(graph::createGroup());
}

static void buildGroup(OpPassManager &pm, const PipelineOptions &options) {
  // What the model says is done by then; the rest is chosen by plans of what
  // follows, and then done in the same way.
  if (int64_t limit = options.memoryLimitBytes()) {
    pm.addPass(graph::createRecompute());
    pm.addPass(
        createLimitMemory({limit}, options.report, options.onRefusedLimit));
  }
  addGrouping(pm);
  addGate(pm, Stage::Group);
}

//===-- exec: a straight line on planned buffers -------------------------===//

static void addPlanning(OpPassManager &pm) {
  // Conversion gives every result a buffer of its own; the plan then shares
  // memory, and the gate checks the plan again from its offsets alone.
  pm.addPass(createConvertGraphToExec());
  pm.addPass(exec::createPlanBuffers());
}

static void buildExec(OpPassManager &pm) {
  addPlanning(pm);
  addGate(pm, Stage::Exec);
}

void mpc::buildTrialPlan(OpPassManager &pm) {
  addGrouping(pm);
  addPlanning(pm);
}

//===-- The whole ---------------------------------------------------------===//

static void addTarget(OpPassManager &pm, const PipelineOptions &options) {
  // Not a part of `import`: what comes before `group` is the same for every
  // target, so a module may be retargeted there.
  if (!options.target.empty())
    pm.addPass(graph::createSetTarget({.target = options.target}));
}

static void addStage(OpPassManager &pm, Stage stage,
                     const PipelineOptions &options) {
  switch (stage) {
  case Stage::Import:
    return buildImport(pm, options);
  case Stage::Autocast:
    return buildAutocast(pm, options);
  case Stage::Autodiff:
    return buildAutodiff(pm, options);
  case Stage::Scale:
    return buildScale(pm);
  case Stage::Accumulate:
    return buildAccumulate(pm);
  case Stage::Reduce:
    return buildReduce(pm, options);
  case Stage::Update:
    return buildUpdate(pm, options);
  case Stage::Simplify:
    return buildSimplify(pm);
  case Stage::Group:
    return buildGroup(pm, options);
  case Stage::Exec:
    return buildExec(pm);
  case Stage::Program:
    return; // No pass: mpc-compile writes the program.
  }
}

void mpc::buildStage(OpPassManager &pm, Stage stage,
                     const PipelineOptions &options) {
  addTarget(pm, options);
  addStage(pm, stage, options);
}

void mpc::buildPipeline(OpPassManager &pm, std::optional<Stage> from, Stage to,
                        const PipelineOptions &options) {
  if (from)
    addGate(pm, *from);
  addTarget(pm, options);
  for (Stage stage : allStages())
    if ((!from || stage > *from) && stage <= to)
      addStage(pm, stage, options);
}
