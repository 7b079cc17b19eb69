// Algorithm: match the chain around each optimizer op; match a check and norm
// per unscale, and per norm without one, which needs to know what the matched
// updates no longer read; then decide which casts nobody needs, and gather
// updates that differ in nothing but their tensors.
#include "mpc/Dialect/Graph/Analysis/UpdateAnalysis.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mpc;
using namespace mpc::graph;
using mlir::getElementTypeOrSelf;

namespace {

bool isScalar(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 0;
}

bool isNarrow(Type element) { return element.isF16() || element.isBF16(); }

/// What `value` is the exact widening of, or null.
Value getNarrow(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  bool widens = cast && getElementTypeOrSelf(value).isF32() &&
                isNarrow(getElementTypeOrSelf(cast.getInput()));
  return widens ? cast.getInput() : Value();
}

/// The chain around one optimizer op.
struct Match {
  ParameterUpdate update;
  MulOp clip;                         ///< Or null.
  UnscaleOp unscale;                  ///< Or null.
  Value wide;                         ///< The gradient in f32, still scaled.
  Value foundInf, scale, coefficient; ///< Or null.
};

class Matcher {
public:
  explicit Matcher(Block &block);
  SmallVector<FusedNorm> norms;
  SmallVector<UpdateRefusal> refusals;
  SmallVector<FusedUpdate> gather();

private:
  void markDependent(Block &block);
  /// An empty answer: it matched.
  StringRef match(OptimizerOpInterface optimizer, Match &match);
  void matchGradient(Value gradient, Match &match);
  StringRef matchNext(OptimizerOpInterface optimizer, Match &match);
  void matchNorms(Block &block);
  std::string matchNorm(UnscaleOp unscale, GlobalNormOp norm);
  bool isAbsorbed(Value gradient, Operation *unscale, Operation *norm) const;
  void absorbCasts(MutableArrayRef<Value> gradients, Operation *unscale,
                   Operation *norm);

  /// With a scale per loss, what skips an update depends on other losses, whose
  /// next scales may be made before it: it cannot read a scale.
  bool hasOneScale = true;
  SmallVector<Match> matches;
  /// Ops that read what an optimizer computed, which a fused op cannot.
  DenseSet<Operation *> dependent;
  /// Readers of gradients that the fused updates replace.
  DenseSet<Operation *> replaced;
  /// Gradients in f32 -> what they were cast from, where nobody else reads.
  DenseMap<Value, Value> narrowed;
};

} // namespace

Matcher::Matcher(Block &block) {
  markDependent(block);
  DenseSet<Value> scales;
  for (auto unscale : block.getOps<UnscaleOp>())
    scales.insert(unscale.getScale());
  hasOneScale = scales.size() <= 1;
  for (Operation &op : block)
    if (auto optimizer = dyn_cast<OptimizerOpInterface>(op)) {
      Match found;
      StringRef reason = match(optimizer, found);
      if (reason.empty())
        matches.push_back(found);
      else
        refusals.push_back({&op, reason.str()});
    }
  for (const Match &match : matches) {
    replaced.insert(match.update.optimizer);
    if (match.clip &&
        llvm::all_of(match.clip->getUsers(), [&](Operation *user) {
          return user == match.update.optimizer;
        }))
      replaced.insert(match.clip);
  }
  matchNorms(block);
}

/// Gradients, scalars and tensors of one fused op exist before its results.
void Matcher::markDependent(Block &block) {
  for (Operation &op : block)
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer &&
          (isa<OptimizerOpInterface>(producer) || dependent.contains(producer)))
        dependent.insert(&op);
    }
}

StringRef Matcher::match(OptimizerOpInterface optimizer, Match &match) {
  match.update.optimizer = optimizer;
  if (!optimizer.hasListForm())
    return "no kernel on lists of tensors makes this update";
  if (getNarrow(optimizer.getParameter()))
    return "the kernels update f32 parameters only, and this one is kept in 16 "
           "bits";
  if (!getElementTypeOrSelf(optimizer.getParameter()).isF32())
    return "the kernels update f32 parameters only";
  if (dependent.contains(optimizer))
    return "it depends on the result of another update";
  for (Value shared : optimizer.getShared())
    if (!isScalar(shared) || getElementTypeOrSelf(shared).isF64())
      return "its learning rate is not an f32 scalar";
  matchGradient(optimizer.getGradient(), match);
  return matchNext(optimizer, match);
}

/// Up from the optimizer: clip, unscale.
void Matcher::matchGradient(Value gradient, Match &match) {
  if (auto clip = gradient.getDefiningOp<MulOp>();
      clip && isScalar(clip.getRhs()) && !isScalar(clip.getLhs())) {
    match.clip = clip;
    match.coefficient = clip.getRhs();
    gradient = clip.getLhs();
  }
  auto unscale = gradient.getDefiningOp<UnscaleOp>();
  if (unscale && hasOneScale) {
    unsigned index = cast<mlir::OpResult>(gradient).getResultNumber();
    match.unscale = unscale;
    match.scale = unscale.getScale();
    gradient = unscale.getGradients()[index];
  }
  match.wide = match.update.gradient = gradient;
}

/// The select that keeps `before` where a step is skipped, else `result`.
static SelectOp getSkip(Value before, Value result) {
  if (!result.hasOneUse())
    return nullptr;
  auto select = dyn_cast<SelectOp>(*result.getUsers().begin());
  bool skips = select && select.getOnFalse() == result &&
               select.getOnTrue() == before && isScalar(select.getCondition());
  return skips ? select : nullptr;
}

/// Down from the optimizer: skip, copy. All results are skipped, or none.
StringRef Matcher::matchNext(OptimizerOpInterface optimizer, Match &match) {
  SmallVector<Value> old{optimizer.getParameter()}, conditions;
  llvm::append_range(old, optimizer.getMoments());
  for (auto [before, result] : llvm::zip_equal(old, optimizer->getResults())) {
    SelectOp skip = getSkip(before, result);
    conditions.push_back(skip ? skip.getCondition() : Value());
    match.update.next.push_back(skip ? Value(skip.getResult()) : result);
  }
  if (!llvm::all_equal(conditions))
    return "its results are not all kept by the same select where a step is "
           "skipped";
  match.foundInf = conditions.front();
  if (match.foundInf && dependent.contains(match.foundInf.getDefiningOp()))
    return "whether it is skipped depends on the result of an update";
  for (Operation *user : match.update.next.front().getUsers()) {
    auto cast = dyn_cast<CastOp>(user);
    if (cast && cast.getReason() &&
        isNarrow(getElementTypeOrSelf(cast.getResult()))) {
      match.update.copy = cast;
      break;
    }
  }
  return "";
}

//===-- Check and norm ----------------------------------------------------===//

static bool isEuclidean(GlobalNormOp norm) {
  return norm.getNormType().convertToDouble() == 2;
}

/// One per unscale with the norm of its gradients, one per other norm.
void Matcher::matchNorms(Block &block) {
  DenseSet<Operation *> done;
  auto take = [&](UnscaleOp unscale, GlobalNormOp norm) {
    std::string reason = matchNorm(unscale, norm);
    Operation *op = unscale ? unscale.getOperation() : norm.getOperation();
    if (!reason.empty())
      refusals.push_back({op, reason});
    done.insert(norm);
  };
  for (auto unscale : block.getOps<UnscaleOp>()) {
    GlobalNormOp norm;
    for (Operation *user : unscale->getUsers())
      if (auto reader = dyn_cast<GlobalNormOp>(user);
          reader && isEuclidean(reader))
        norm = reader;
    take(unscale, norm);
  }
  // The norm of groups' norms is a few scalars.
  for (auto norm : block.getOps<GlobalNormOp>())
    if (!done.contains(norm) && !llvm::all_of(norm.getInputs(), isScalar))
      take(nullptr, norm);
}

/// Empty: it is in `norms` now. Fails if an unscaled gradient has to exist. One
/// that is an output does not count: the unscale that is left makes it alone.
std::string Matcher::matchNorm(UnscaleOp unscale, GlobalNormOp norm) {
  if (unscale && !hasOneScale)
    return "losses have scales of their own, so unscaled gradients have to be "
           "stored";
  FusedNorm fused{unscale, norm, {}};
  auto func = (unscale ? unscale.getOperation() : norm)->getParentOp();
  if (updatesInBackward(func->getAttrOfType<TrainingAttr>(kTrainingAttr)))
    return "its gradients are not kept until all are known";
  if (norm && !isEuclidean(norm))
    return "the kernel computes the Euclidean norm only";
  if (unscale && norm) {
    auto unscaled = unscale.getUnscaled();
    llvm::SetVector<Value> all(unscaled.begin(), unscaled.end());
    llvm::SetVector<Value> read(norm.getInputs().begin(),
                                norm.getInputs().end());
    if (read.size() != norm.getInputs().size() || read.size() != all.size() ||
        !llvm::all_of(read, [&](Value value) { return all.contains(value); }))
      return "the norm is not that of all gradients that are unscaled";
  }
  if (unscale)
    for (Value value : unscale.getUnscaled())
      for (Operation *user : value.getUsers())
        if (user != norm && !replaced.contains(user) &&
            !user->hasTrait<mlir::OpTrait::IsTerminator>())
          return ("'" + user->getName().getStringRef() +
                  "' needs an unscaled gradient, so it has to be stored")
              .str();
  ValueRange gradients = unscale ? ValueRange(unscale.getGradients())
                                 : ValueRange(norm.getInputs());
  for (Value gradient : gradients)
    if (!getElementTypeOrSelf(gradient).isF32())
      return "the kernel reads gradients of up to 32 bits only";
  fused.gradients.assign(gradients.begin(), gradients.end());
  absorbCasts(fused.gradients, unscale, norm);
  norms.push_back(fused);
  return "";
}

/// Whether nothing but what is fused reads the f32 value of `gradient`.
bool Matcher::isAbsorbed(Value gradient, Operation *unscale,
                         Operation *norm) const {
  return llvm::all_of(gradient.getUsers(), [&](Operation *user) {
    return user == unscale || user == norm || replaced.contains(user);
  });
}

/// Reads 16 bits where nobody else needs a gradient in f32.
void Matcher::absorbCasts(MutableArrayRef<Value> gradients, Operation *unscale,
                          Operation *norm) {
  int64_t wide = 0;
  for (Value &gradient : gradients) {
    Value source = getNarrow(gradient);
    if (!source)
      continue;
    if (!isAbsorbed(gradient, unscale, norm)) {
      ++wide;
      continue;
    }
    narrowed[gradient] = source;
    gradient = source;
  }
  if (wide > 0)
    refusals.push_back({unscale ? unscale : norm,
                        std::to_string(wide) +
                            " of its gradients are read in f32, because others "
                            "than the update read them so"});
}

//===-- Lists -------------------------------------------------------------===//

/// Updates of equal attributes, scalars, gradient type and copy type, in the
/// order in which they stand in the program.
SmallVector<FusedUpdate> Matcher::gather() {
  std::map<std::vector<const void *>, unsigned> known;
  SmallVector<FusedUpdate> updates;
  for (Match &match : matches) {
    OptimizerOpInterface optimizer = match.update.optimizer;
    Value narrow = narrowed.lookup(match.wide);
    if (!narrow && isAbsorbed(match.wide, nullptr, nullptr))
      narrow = getNarrow(match.wide);
    if (narrow)
      match.update.gradient = narrow;
    Type copyType =
        match.update.copy ? getElementTypeOrSelf(match.update.copy) : Type();
    std::vector<const void *> facts{
        optimizer->getName().getAsOpaquePointer(),
        optimizer->getAttrDictionary().getAsOpaquePointer(),
        getElementTypeOrSelf(match.update.gradient).getAsOpaquePointer(),
        copyType.getAsOpaquePointer(),
        match.foundInf.getAsOpaquePointer(),
        match.scale.getAsOpaquePointer(),
        match.coefficient.getAsOpaquePointer()};
    for (Value shared : optimizer.getShared())
      facts.push_back(shared.getAsOpaquePointer());
    auto [entry, isNew] = known.try_emplace(facts, updates.size());
    if (isNew)
      updates.push_back({{}, match.foundInf, match.scale, match.coefficient});
    updates[entry->second].updates.push_back(match.update);
  }
  return updates;
}

UpdateAnalysis::UpdateAnalysis(Block &block) {
  Matcher matcher(block);
  updates = matcher.gather();
  norms = std::move(matcher.norms);
  refusals = std::move(matcher.refusals);
}
