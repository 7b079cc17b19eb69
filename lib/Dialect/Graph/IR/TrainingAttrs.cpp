// What `graph.training` and its parts may say; `#graph.optimizer` has a file of
// its own.
#include "SettingChecks.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
#include "mpc/Support/Number.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;

using TS = TrainingSettings;

LogicalResult graph::checkWord(EmitError emitError, StringRef field,
                               StringRef word, ArrayRef<StringRef> words) {
  if (llvm::is_contained(words, word))
    return success();
  return emitError() << "expected " << field << " " << listWords(words)
                     << ", but got '" << word << "'";
}

/// By the rows of the table of settings.
static LogicalResult
verifyRanges(EmitError emitError,
             ArrayRef<std::pair<StringRef, int64_t>> values) {
  return success(llvm::all_of(values, [&](const auto &named) {
    return succeeded(verifyRange(named.first, named.second, emitError));
  }));
}

bool graph::isInRangeOfF32(Real value) {
  return value.value <= std::numeric_limits<float>::max();
}

static LogicalResult checkFactors(EmitError emitError, Real init, Real growth,
                                  Real backoff, int64_t interval) {
  if (!(init.value > 0) || !(growth.value > 1) ||
      !(backoff.value > 0 && backoff.value < 1) || interval < 1)
    return emitError() << "expected init > 0, growth > 1, 0 < backoff < 1 and "
                          "interval >= 1, but got "
                       << init << ", " << growth << ", " << backoff << " and "
                       << interval;
  if (!isInRangeOfF32(init))
    return emitError() << "expected an init in the range of f32, but got "
                       << init;
  return success();
}

LogicalResult LossScaleAttr::verify(EmitError emitError, StringRef mode,
                                    Real init, Real growth, Real backoff,
                                    int64_t interval, int64_t hysteresis,
                                    StringAttr refill, int64_t delay,
                                    Real floor, Real ceiling, bool, bool,
                                    StringAttr onFloor, StringAttr scope) {
  if (failed(
          checkWord(emitError, "mode", mode, {"none", "static", "dynamic"})) ||
      failed(checkFactors(emitError, init, growth, backoff, interval)) ||
      failed(
          checkWord(emitError, "refill", refill, wordsOf(&TS::scaleRefill))) ||
      failed(checkWord(emitError, "on_floor", onFloor,
                       wordsOf(&TS::scaleOnFloor))) ||
      failed(checkWord(emitError, "scope", scope, wordsOf(&TS::scaleScope))))
    return failure();
  if (failed(verifyRanges(emitError, {{"scale-interval", interval},
                                      {"scale-hysteresis", hysteresis},
                                      {"scale-delay", delay}})))
    return failure();
  // A static scale has no use for bounds.
  bool isOrdered =
      floor.value >= 0 && ceiling.value >= 0 &&
      (mode != "dynamic" || floor.value <= init.value) &&
      (mode != "dynamic" || ceiling.value == 0 || init.value <= ceiling.value);
  if (!isOrdered)
    return emitError() << "expected floor <= init <= ceiling (0 for none), but "
                          "got "
                       << floor << ", " << init << " and " << ceiling;
  return success();
}

LogicalResult ClipAttr::verify(EmitError emitError, Real norm,
                               StringAttr normType, Real value,
                               StringAttr formula, StringAttr scope,
                               StringAttr nonfinite) {
  if (norm.value < 0 || value.value < 0 || !isInRangeOfF32(norm) ||
      !isInRangeOfF32(value))
    return emitError() << "expected a clip norm and value >= 0 in the range of "
                          "f32, but got "
                       << norm << " and " << value;
  StringRef type = normType.getValue();
  if (type != "inf" && !(parseNumber<double>(type).value_or(0) > 0))
    return emitError() << "expected norm_type inf or a number > 0, but got '"
                       << type << "'";
  return success(succeeded(checkWord(emitError, "clip formula", formula,
                                     wordsOf(&TS::clipFormula))) &&
                 succeeded(checkWord(emitError, "clip scope", scope,
                                     wordsOf(&TS::clipScope))) &&
                 succeeded(checkWord(emitError, "nonfinite", nonfinite,
                                     wordsOf(&TS::clipNonfinite))));
}

LogicalResult ScheduleAttr::verify(EmitError emitError, StringRef kind,
                                   int64_t warmup, int64_t total, Real final,
                                   int64_t period, Real gamma) {
  if (failed(checkWord(emitError, "schedule", kind, wordsOf(&TS::schedule))))
    return failure();
  if (failed(verifyRanges(emitError, {{"warmup-steps", warmup},
                                      {"total-steps", total},
                                      {"decay-period", period}})))
    return failure();
  bool ends = kind == "linear" || kind == "cosine";
  if (ends && total <= warmup)
    return emitError() << "expected 0 <= warmup-steps < total-steps for "
                          "schedule "
                       << kind << ", but got " << warmup << " and " << total;
  if (kind == "step" && (period < 1 || !(gamma.value > 0)))
    return emitError() << "expected decay-period >= 1 and decay-gamma > 0 for "
                          "schedule step, but got "
                       << period << " and " << gamma;
  if (!(final.value >= 0 && final.value <= 1))
    return emitError() << "expected 0 <= final <= 1, but got " << final;
  return success();
}

LogicalResult ParameterGroupAttr::verify(EmitError emitError, StringRef name,
                                         StringRef pattern, OptimizerAttr,
                                         ClipAttr, ScheduleAttr) {
  if (failed(verifyName(name, "the name of a parameter group", emitError)))
    return failure();
  if (name == "default")
    return emitError() << "expected another name than 'default' for a "
                          "parameter group: it is that of the parameters that "
                          "no group takes";
  // Of "gradient", "gradient.lr" would be its rate and the gradient of "lr".
  std::string begin = name.str() + ".";
  for (ArrayRef<std::string_view> words :
       {ArrayRef(kStateWords), ArrayRef(program::kOutputWords)})
    if (StringRef word = findWord(begin, words); !word.empty())
      return emitError() << "expected another name than '" << name
                         << "' for a parameter group: names that begin with '"
                         << word << ".' are the training step's own";
  return verifyPattern(pattern, [&] {
    return emitError() << "pattern of group '" << name << "': ";
  });
}

static LogicalResult checkGroups(EmitError emitError, mlir::ArrayAttr groups) {
  llvm::SmallDenseSet<StringRef> names;
  for (Attribute attribute : groups) {
    auto group = dyn_cast<ParameterGroupAttr>(attribute);
    if (!group)
      return emitError() << "expected groups of #graph.parameter_group, but "
                            "got "
                         << attribute;
    if (!names.insert(group.getName()).second)
      return emitError() << "expected one parameter group '" << group.getName()
                         << "', but got two";
  }
  return success();
}

/// What has to see all gradients before the first parameter is updated.
static LogicalResult checkInBackward(EmitError emitError,
                                     OptimizerAttr optimizer, ClipAttr clip,
                                     LossScaleAttr scale, int64_t accumulate) {
  if (!optimizer || !findOptimizer(optimizer.getName())->updatesInBackward)
    return success();
  auto error = [&](StringRef what, StringRef cure) {
    return emitError() << "expected " << what << " with optimizer "
                       << optimizer.getName()
                       << ", which updates each parameter in the backward, "
                          "before all gradients are known: "
                       << cure << ", or choose another optimizer";
  };
  if (clip && clip.getNorm().value > 0)
    return error("no clip by norm", "clip by value");
  if (clip && clip.getNonfinite() == "error")
    return error("no check of the norm", "let it propagate");
  if (scale && scale.getMode() != "none")
    return error("no loss scaling, which must be able to skip a step",
                 "train in bf16 or fp32 without");
  if (accumulate > 1)
    return error("no accumulation over micro-batches", "set accumulate to 1");
  return success();
}

static LogicalResult checkInBackward(EmitError emitError,
                                     OptimizerAttr optimizer,
                                     mlir::ArrayAttr groups, ClipAttr clip,
                                     LossScaleAttr scale, int64_t accumulate) {
  if (failed(checkInBackward(emitError, optimizer, clip, scale, accumulate)))
    return failure();
  if (!groups)
    return success();
  for (auto group : groups.getAsRange<ParameterGroupAttr>())
    if (failed(checkInBackward(emitError, group.getOptimizer(),
                               group.getClip() ? group.getClip() : clip, scale,
                               accumulate)))
      return failure();
  return success();
}

LogicalResult TrainingAttr::verify(
    EmitError emitError, StringAttr precision, StringAttr autocast,
    StringAttr lists, StringAttr output, bool, StringAttr rounding,
    StringAttr weightCopies, LossScaleAttr scale, OptimizerAttr optimizer,
    mlir::ArrayAttr groups, ClipAttr clip, ScheduleAttr, int64_t accumulate,
    int64_t bucketBytes, StringAttr outputGradients) {
  if (failed(checkWord(emitError, "precision", precision,
                       wordsOf(&TS::precision))) ||
      failed(
          checkWord(emitError, "autocast", autocast, wordsOf(&TS::autocast))) ||
      failed(checkWord(emitError, "lists", lists, wordsOf(&TS::lists))) ||
      failed(checkWord(emitError, "output", output, wordsOf(&TS::output))) ||
      failed(
          checkWord(emitError, "rounding", rounding, wordsOf(&TS::rounding))) ||
      failed(checkWord(emitError, "weight_copies", weightCopies,
                       wordsOf(&TS::weightCopies))) ||
      (groups && failed(checkGroups(emitError, groups))))
    return failure();
  if (groups && !optimizer)
    return emitError() << "expected an optimizer for the parameters that no "
                          "group takes, but got groups alone";
  if (failed(verifyRanges(emitError, {{"accumulate", accumulate},
                                      {"bucket-bytes", bucketBytes}})) ||
      (!outputGradients.empty() &&
       failed(verifyPattern(outputGradients, emitError))))
    return failure();
  return checkInBackward(emitError, optimizer, groups, clip, scale, accumulate);
}
