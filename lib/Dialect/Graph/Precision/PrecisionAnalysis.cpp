#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "Modes/CheapestPrecision.h"
#include "Modes/TfPrecision.h"
#include "Modes/TorchPrecision.h"
#include "Modes/WholePrecision.h"
#include "OpTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Precision/PrecisionProfile.h"

using namespace mpc;
using namespace mpc::graph;

/// Sets `word` to what `text` says, if it says something; an error lists all
/// words of `option`.
template <typename Enum>
static LogicalResult setWord(StringRef option, StringRef text, Enum &word,
                             PolicyRules::EmitError emitError) {
  if (text.empty() || WordRef(word).set(text))
    return success();
  return emitError() << "expected " << option << " to be "
                     << listWords(listOf<Enum>()) << ", but got '" << text
                     << "'";
}

static LogicalResult setFlag(StringRef option, StringRef text, bool &flag,
                             PolicyRules::EmitError emitError) {
  if (!text.empty() && text != "true" && text != "false")
    return emitError() << "expected " << option
                       << " to be false or true, but got '" << text << "'";
  flag = text.empty() ? flag : text == "true";
  return success();
}

/// f16 or bf16; null for f32, which is no type beside f32.
static FloatType typeOf(Precision precision, MLIRContext *context) {
  switch (precision) {
  case Precision::Fp32:
    return FloatType();
  case Precision::Bf16:
    return mlir::BFloat16Type::get(context);
  case Precision::Fp16:
    return mlir::Float16Type::get(context);
  }
  llvm_unreachable("every precision has a type");
}

static FloatType typeOf(OutputType output, MLIRContext *context) {
  switch (output) {
  case OutputType::F32:
    return mlir::Float32Type::get(context);
  case OutputType::F16:
    return mlir::Float16Type::get(context);
  case OutputType::Bf16:
    return mlir::BFloat16Type::get(context);
  }
  llvm_unreachable("every output has a type");
}

FailureOr<PrecisionOptions>
AutocastChoice::parse(Numerics numerics, MLIRContext *context,
                      PolicyRules::EmitError emitError) const {
  if (failed(setWord("mode", mode, numerics.autocast, emitError)) ||
      failed(setWord("lists", lists, numerics.lists, emitError)) ||
      failed(setWord("precision", precision, numerics.precision, emitError)) ||
      failed(setWord("output", output, numerics.output, emitError)) ||
      failed(setFlag("keep-normalization", keepNormalization,
                     numerics.keepNormalization, emitError)))
    return failure();
  PrecisionOptions options;
  options.mode = numerics.autocast;
  options.lists = numerics.lists;
  options.lowp = typeOf(numerics.precision, context);
  options.output = typeOf(numerics.output, context);
  options.keepNormalization = numerics.keepNormalization;
  return options;
}

LogicalResult AutocastChoice::readRules(ModuleOp module,
                                        PolicyRules &rules) const {
  auto emitError = [&] { return module.emitError(); };
  if (!policyFile.empty() && failed(rules.addFile(policyFile, emitError)))
    return failure();
  return rules.addList(policy, emitError);
}

FailureOr<PrecisionOptions> AutocastChoice::resolve(mlir::func::FuncOp func,
                                                    PolicyRules &rules) const {
  auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  auto options = parse(training ? training.getNumerics() : Numerics(),
                       func.getContext(), [&] { return func.emitError(); });
  if (failed(options) || (!precisionProfile.empty() &&
                          failed(addProfile(func, options->lowp, rules))))
    return failure();
  options->rules = &rules;
  return options;
}

LogicalResult AutocastChoice::addProfile(mlir::func::FuncOp func,
                                         FloatType narrow,
                                         PolicyRules &rules) const {
  auto emitError = [&] { return func.emitError(); };
  auto profile = PrecisionProfile::read(precisionProfile, emitError);
  ProfileThresholds thresholds;
  if (failed(profile) ||
      failed(thresholds.parse(profileOverflow, profileFlush, emitError)))
    return failure();
  if (narrow)
    return profile->addRules(func, narrow, thresholds, tellsProfile, rules);
  return success(); // mpc-autocast refuses a profile that no model uses.
}

void PrecisionAnalysis::noteLostConstants(Operation *op,
                                          const OpDecision &decision) {
  for (auto [value, type] :
       llvm::zip(op->getOperands(), decision.operandTypes)) {
    mlir::ElementsAttr constant;
    auto to = dyn_cast_if_present<FloatType>(type);
    if (!to || to == getCastableType(value) ||
        !matchPattern(value, mlir::m_Constant(&constant)))
      continue;
    if (RangeFinding range = findRangeLoss(constant, to))
      findings.push_back(
          {value.getDefiningOp(), op, range, to, /*keptWide=*/false});
  }
  auto words = dyn_cast<AutocastOpInterface>(op);
  auto to = decision.resultTypes.empty()
                ? FloatType()
                : dyn_cast<FloatType>(
                      mlir::getElementTypeOrSelf(decision.resultTypes[0]));
  if (!words || !to || to == getCastableType(op->getResult(0)))
    return;
  if (RangeFinding range = findRangeLoss(words.getRoundedNumbers(), to))
    findings.push_back({op, op, range, to, /*keptWide=*/false});
}

/// Types stay as written; rules are looked up all the same, so that those that
/// match nothing are known.
static void keepAll(Block &body, PolicyRules *rules,
                    DenseMap<Operation *, OpDecision> &decisions) {
  for (Operation &op : body) {
    decisions[&op] = keepDeclared(&op);
    if (rules)
      rules->match(&op);
  }
}

/// Frames hide ops from an analysis of one block.
static LogicalResult checkFrames(Block &body) {
  for (Operation &op : body) {
    auto call = dyn_cast<CustomOp>(op);
    if (isa<AutocastRegionOp>(op) || (call && !call.isOpaque()))
      return op.emitOpError("expected to be inlined before autocast; run "
                            "mpc-inline-regions");
  }
  return success();
}

FailureOr<std::optional<PrecisionOptions>>
mpc::graph::readAutocastRecord(mlir::func::FuncOp func, PolicyRules &rules) {
  auto record = func->getAttrOfType<DictionaryAttr>(kAutocastAttr);
  if (!record)
    return std::optional<PrecisionOptions>();
  auto emitError = [&] { return func.emitError() << kAutocastAttr << ": "; };
  auto word = [&](StringRef key) {
    auto text = record.getAs<StringAttr>(key);
    return text ? text.getValue().str() : std::string();
  };
  AutocastChoice words{word("mode"),
                       word("precision"),
                       word("lists"),
                       word("output"),
                       word("keep_normalization"),
                       "",
                       ""};
  auto options = words.parse(Numerics(), func.getContext(), emitError);
  if (failed(options))
    return failure();
  if (auto texts = record.getAs<mlir::ArrayAttr>("policy"))
    for (auto text : texts.getAsRange<StringAttr>())
      if (failed(rules.addRule(text.getValue(), emitError)))
        return failure();
  PrecisionOptions found = *options;
  found.rules = &rules;
  return std::make_optional(found);
}

FailureOr<PrecisionAnalysis>
PrecisionAnalysis::compute(mlir::func::FuncOp func,
                           const PrecisionOptions &options) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a body of one block, but got ")
           << func.getBody().getBlocks().size();
  PrecisionAnalysis analysis;
  analysis.options = options;
  Block &body = func.getBody().front();
  if (failed(checkFrames(body)))
    return failure();
  LogicalResult decided = success();
  bool roundsOutputs = options.mode == PrecisionMode::Whole && options.output &&
                       !options.output.isF32();
  if (!options.lowp && !roundsOutputs)
    keepAll(body, options.rules, analysis.decisions);
  else if (options.mode == PrecisionMode::Torch)
    decided = TorchPrecision(analysis).run(body);
  else if (options.mode == PrecisionMode::TensorFlow)
    decided = TfPrecision(analysis).run(func);
  else if (options.mode == PrecisionMode::Whole)
    decided = WholePrecision(analysis, func.getContext()).run(func);
  else
    decided = CheapestPrecision(analysis).run(func);
  if (failed(decided))
    return failure();
  return analysis;
}
