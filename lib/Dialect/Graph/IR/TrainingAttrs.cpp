// What `graph.training` and its parts may say, and how it is written;
// `#graph.optimizer` has a file of its own.
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "SettingSyntax.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Support/Ranges.h"

using namespace mpc;
using namespace mpc::graph;

/// The storage of an attribute is freed, and not destroyed.
template <typename... Structs>
constexpr bool areStorable = (std::is_trivially_destructible_v<Structs> && ...);
static_assert(areStorable<Numerics, LossScale, Clip, Schedule, StepParts>);

//===-- Parts that are one struct -----------------------------------------===//

template <typename Attr, typename Struct>
static Attribute parsePart(mlir::AsmParser &parser, Part part,
                           Struct TrainingSettings::*member) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  TrainingSettings settings;
  if (parseFields(parser, part, settings))
    return {};
  return parser.getChecked<Attr>(loc, parser.getContext(), settings.*member);
}

template <typename Struct>
static TrainingSettings with(Struct TrainingSettings::*member,
                             const Struct &values) {
  TrainingSettings settings;
  settings.*member = values;
  return settings;
}

Attribute LossScaleAttr::parse(mlir::AsmParser &parser, Type) {
  return parsePart<LossScaleAttr>(parser, Part::LossScale,
                                  &TrainingSettings::lossScale);
}
void LossScaleAttr::print(mlir::AsmPrinter &printer) const {
  FieldPrinter(printer).print(Part::LossScale,
                              with(&TrainingSettings::lossScale, getValues()));
}

Attribute ClipAttr::parse(mlir::AsmParser &parser, Type) {
  return parsePart<ClipAttr>(parser, Part::Clip, &TrainingSettings::clip);
}
void ClipAttr::print(mlir::AsmPrinter &printer) const {
  FieldPrinter(printer).print(Part::Clip,
                              with(&TrainingSettings::clip, getValues()));
}

Attribute ScheduleAttr::parse(mlir::AsmParser &parser, Type) {
  return parsePart<ScheduleAttr>(parser, Part::Schedule,
                                 &TrainingSettings::schedule);
}
void ScheduleAttr::print(mlir::AsmPrinter &printer) const {
  FieldPrinter(printer).print(Part::Schedule,
                              with(&TrainingSettings::schedule, getValues()));
}

//===-- What their values may be ------------------------------------------===//

/// By the rows of the part in the table of settings.
static LogicalResult verifyRanges(EmitError emitError, Part part,
                                  const TrainingSettings &settings) {
  return success(llvm::all_of(trainingSettings(), [&](const Setting &setting) {
    return !setting.hasField() || setting.field.part != part ||
           succeeded(verifyRange(settings, setting, emitError));
  }));
}

static const RealRange &rangeOf(Part part, StringRef parameter) {
  return findSetting(part, parameter)->reals;
}

/// What is wrong with one of them is told with all of them.
static LogicalResult checkFactors(EmitError emitError,
                                  const LossScale &values) {
  const std::pair<StringRef, Real> factors[] = {{"init", values.init},
                                                {"growth", values.growth},
                                                {"backoff", values.backoff}};
  bool isRight = values.interval >= 1;
  std::string expected, got;
  for (auto [name, value] : factors) {
    const RealRange &range = rangeOf(Part::LossScale, name);
    isRight &= range.contains(value);
    expected += (expected.empty() ? "" : ", ") + range.describe(name);
    got += (got.empty() ? "" : ", ") + formatReal(value);
  }
  if (!isRight)
    return emitError() << "expected " << expected
                       << " and interval >= 1, but got " << got << " and "
                       << values.interval;
  return success();
}

/// What is first, smallest and largest; 0 stands for no bound.
static LogicalResult checkScales(EmitError emitError, const LossScale &values) {
  auto check = [&](StringRef name, Real scale) -> LogicalResult {
    if (isLossScale(scale.value))
      return success();
    return emitError() << "expected " << StringRef(kLossScaleRange) << " as "
                       << name << ", but got " << scale;
  };
  for (auto [name, bound] :
       {std::pair("floor", values.floor), std::pair("ceiling", values.ceiling)})
    if (bound.value != 0 && failed(check(name, bound)))
      return failure();
  return check("init", values.init);
}

LogicalResult LossScaleAttr::verify(EmitError emitError, LossScale values) {
  if (failed(checkFactors(emitError, values)) ||
      failed(verifyRanges(emitError, Part::LossScale,
                          with(&TrainingSettings::lossScale, values))))
    return failure();
  // A static scale has no use for bounds.
  bool isDynamic = values.mode == ScaleMode::Dynamic;
  double floor = values.floor.value, init = values.init.value,
         ceiling = values.ceiling.value;
  if (isDynamic && (floor > init || (ceiling != 0 && init > ceiling)))
    return emitError() << "expected floor <= init <= ceiling (0 for none), but "
                          "got "
                       << values.floor << ", " << values.init << " and "
                       << values.ceiling;
  return checkScales(emitError, values);
}

LogicalResult ClipAttr::verify(EmitError emitError, Clip values) {
  if (!rangeOf(Part::Clip, "norm").contains(values.norm) ||
      !rangeOf(Part::Clip, "value").contains(values.value))
    return emitError() << "expected a clip norm and value >= 0 in the range of "
                          "f32, but got "
                       << values.norm << " and " << values.value;
  return verifyRanges(emitError, Part::Clip,
                      with(&TrainingSettings::clip, values));
}

LogicalResult ScheduleAttr::verify(EmitError emitError, Schedule values) {
  if (failed(verifyRanges(emitError, Part::Schedule,
                          with(&TrainingSettings::schedule, values))))
    return failure();
  bool ends = values.kind == ScheduleKind::Linear ||
              values.kind == ScheduleKind::Cosine;
  if (ends && values.total <= values.warmup)
    return emitError() << "expected 0 <= warmup-steps < total-steps for "
                          "schedule "
                       << stringifyEnum(values.kind) << ", but got "
                       << values.warmup << " and " << values.total;
  if (values.kind == ScheduleKind::Step &&
      (values.period < 1 || !(values.gamma.value > 0)))
    return emitError() << "expected decay-period >= 1 and decay-gamma > 0 for "
                          "schedule step, but got "
                       << values.period << " and " << values.gamma;
  return success();
}

//===-- Groups, and the whole ---------------------------------------------===//

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
  if (clip && clip->norm.value > 0)
    return error("no clip by norm", "clip by value");
  if (clip && clip->nonfinite == NonfiniteNorm::Error)
    return error("no check of the norm", "let it propagate");
  if (scale && scale->mode != ScaleMode::None)
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

LogicalResult TrainingAttr::verify(EmitError emitError, Numerics numerics,
                                   LossScaleAttr scale, OptimizerAttr optimizer,
                                   mlir::ArrayAttr groups, ClipAttr clip,
                                   ScheduleAttr, StepParts step,
                                   StringRef outputGradients,
                                   StringRef dropOutputs) {
  if (groups && failed(checkGroups(emitError, groups)))
    return failure();
  if (groups && !optimizer)
    return emitError() << "expected an optimizer for the parameters that no "
                          "group takes, but got groups alone";
  if (failed(verifyRanges(emitError, Part::Numerics,
                          with(&TrainingSettings::numerics, numerics))) ||
      failed(verifyRanges(emitError, Part::StepParts,
                          with(&TrainingSettings::step, step))) ||
      (!outputGradients.empty() &&
       failed(verifyPattern(outputGradients, emitError))) ||
      (!dropOutputs.empty() && failed(verifyPattern(dropOutputs, emitError))))
    return failure();
  if (step.firstBucketBytes > 0 && step.linkBandwidth.value > 0)
    return emitError() << "expected first-bucket-bytes or link-bandwidth, by "
                          "which buckets are cut, but got both";
  return checkInBackward(emitError, optimizer, groups, clip, scale,
                         step.accumulate);
}

//===-- The text of the whole ---------------------------------------------===//

/// A part in full, or without its name: `#graph.clip<...>`, `<...>`. In its
/// place stand numbers and names now and then.
template <typename Attr>
static mlir::ParseResult readPart(mlir::AsmParser &parser, Attr &part,
                                  StringRef form) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Attribute other;
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parser.emitError(loc, "expected ")
           << form << ", but got '" << word << "'";
  mlir::OptionalParseResult isOther = parser.parseOptionalAttribute(other);
  if (!isOther.has_value()) {
    if constexpr (std::is_same_v<Attr, mlir::ArrayAttr>)
      return parser.emitError(loc, "expected ") << form;
    else
      other = Attr::parse(parser, Type());
  }
  if (!other)
    return failure();
  part = dyn_cast<Attr>(other);
  if (part)
    return success();
  return parser.emitError(loc, "expected ") << form << ", but got " << other;
}
constexpr StringRef kOptimizerForm = "<name = \"adamw\", lr = 0.001>",
                    kClipForm = "<norm = 1.0>",
                    kScheduleForm = "<kind = \"cosine\", total = 1000>",
                    kScaleForm = "<mode = \"dynamic\">",
                    kGroupsForm = "[#graph.parameter_group<...>]";

Attribute ParameterGroupAttr::parse(mlir::AsmParser &parser, Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string name, pattern;
  OptimizerAttr optimizer;
  ClipAttr clip;
  ScheduleAttr schedule;
  auto readName = [&] { return parser.parseString(&name); };
  auto readPattern = [&] { return parser.parseString(&pattern); };
  auto readOptimizer = [&] {
    return readPart(parser, optimizer, kOptimizerForm);
  };
  auto readClip = [&] { return readPart(parser, clip, kClipForm); };
  auto readSchedule = [&] { return readPart(parser, schedule, kScheduleForm); };
  TrainingSettings none;
  if (parseFields(parser, {}, none,
                  {{"name", readName, true},
                   {"pattern", readPattern, true},
                   {"optimizer", readOptimizer, true},
                   {"clip", readClip},
                   {"schedule", readSchedule}}))
    return {};
  return parser.getChecked<ParameterGroupAttr>(
      loc, parser.getContext(), StringRef(name), StringRef(pattern), optimizer,
      clip, schedule);
}

void ParameterGroupAttr::print(mlir::AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.begin("name").printString(getName());
  fields.begin("pattern").printString(getPattern());
  fields.begin("optimizer").printStrippedAttrOrType(getOptimizer());
  if (getClip())
    fields.begin("clip").printStrippedAttrOrType(getClip());
  if (getSchedule())
    fields.begin("schedule").printStrippedAttrOrType(getSchedule());
}

Attribute TrainingAttr::parse(mlir::AsmParser &parser, Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  TrainingSettings settings;
  LossScaleAttr scale;
  OptimizerAttr optimizer;
  mlir::ArrayAttr groups;
  ClipAttr clip;
  ScheduleAttr schedule;
  auto readScale = [&] { return readPart(parser, scale, kScaleForm); };
  auto readOptimizer = [&] {
    return readPart(parser, optimizer, kOptimizerForm);
  };
  auto readGroups = [&] { return readPart(parser, groups, kGroupsForm); };
  auto readClip = [&] { return readPart(parser, clip, kClipForm); };
  auto readSchedule = [&] { return readPart(parser, schedule, kScheduleForm); };
  if (parseFields(parser, {Part::Numerics, Part::StepParts, Part::StepOutputs},
                  settings,
                  {{"loss_scale", readScale},
                   {"optimizer", readOptimizer},
                   {"groups", readGroups},
                   {"clip", readClip},
                   {"schedule", readSchedule}}))
    return {};
  return parser.getChecked<TrainingAttr>(
      loc, parser.getContext(), settings.numerics, scale, optimizer, groups,
      clip, schedule, settings.step, StringRef(settings.outputs.gradients.text),
      StringRef(settings.outputs.dropped.text));
}

void TrainingAttr::print(mlir::AsmPrinter &printer) const {
  TrainingSettings settings;
  settings.numerics = getNumerics();
  settings.step = getStep();
  settings.outputs.gradients.text = getOutputGradients().str();
  settings.outputs.dropped.text = getDropOutputs().str();
  FieldPrinter fields(printer);
  fields.print(Part::Numerics, settings);
  auto printPart = [&](StringRef name, auto part) {
    if (part)
      fields.begin(name).printStrippedAttrOrType(part);
  };
  printPart("loss_scale", getLossScale());
  printPart("optimizer", getOptimizer());
  printPart("groups", getGroups());
  printPart("clip", getClip());
  printPart("schedule", getSchedule());
  fields.print(Part::StepParts, settings);
  fields.print(Part::StepOutputs, settings);
}

bool graph::roundsStrictly(Operation *function) {
  auto training = function->getAttrOfType<TrainingAttr>(kTrainingAttr);
  return training && training.getNumerics().rounding == RoundingMode::Strict;
}
