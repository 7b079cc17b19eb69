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
#include "mpc/Dialect/Graph/Precision/PrecisionProfile.h"

using namespace mpc;
using namespace mpc::graph;

StringRef mpc::graph::stringifyPrecisionMode(PrecisionMode mode) {
  switch (mode) {
  case PrecisionMode::Cheapest:
    return "cheapest";
  case PrecisionMode::Torch:
    return "torch";
  case PrecisionMode::TensorFlow:
    return "tf";
  case PrecisionMode::Whole:
    return "whole";
  }
  llvm_unreachable("unknown precision mode");
}

StringRef mpc::graph::stringifyTorchLists(TorchLists lists) {
  switch (lists) {
  case TorchLists::Cuda:
    return "cuda";
  case TorchLists::Cpu:
    return "cpu";
  case TorchLists::Apex:
    return "apex";
  }
  llvm_unreachable("unknown lists");
}

namespace {
/// One word of an option and what it stands for.
template <typename T> struct Word {
  StringRef text;
  T value;
};
} // namespace

/// The value of the word `text`, of the first if it is empty; an error lists
/// all words of `option`.
template <typename T>
static FailureOr<T> parseWord(StringRef option, StringRef text,
                              std::initializer_list<Word<T>> words,
                              PolicyRules::EmitError emitError) {
  if (text.empty())
    return words.begin()->value;
  for (const Word<T> &word : words)
    if (word.text == text)
      return word.value;
  InFlightDiagnostic error = emitError();
  error << "expected " << option << " to be ";
  for (auto [index, word] : llvm::enumerate(words))
    error << (index == 0                  ? ""
              : index + 1 == words.size() ? " or "
                                          : ", ")
          << word.text;
  return error << ", but got '" << text << "'";
}

FailureOr<PrecisionOptions>
AutocastChoice::parse(MLIRContext *context,
                      PolicyRules::EmitError emitError) const {
  auto f32 = FloatType(mlir::Float32Type::get(context));
  auto f16 = FloatType(mlir::Float16Type::get(context));
  auto bf16 = FloatType(mlir::BFloat16Type::get(context));
  auto parsedMode =
      parseWord<PrecisionMode>("mode", mode,
                               {{"cheapest", PrecisionMode::Cheapest},
                                {"torch", PrecisionMode::Torch},
                                {"tf", PrecisionMode::TensorFlow},
                                {"whole", PrecisionMode::Whole}},
                               emitError);
  if (failed(parsedMode))
    return failure();
  auto parsedLists = parseWord<TorchLists>("lists", lists,
                                           {{"cuda", TorchLists::Cuda},
                                            {"cpu", TorchLists::Cpu},
                                            {"apex", TorchLists::Apex}},
                                           emitError);
  if (failed(parsedLists))
    return failure();
  auto lowp = parseWord<FloatType>(
      "precision", precision,
      {{"fp32", FloatType()}, {"bf16", bf16}, {"fp16", f16}}, emitError);
  if (failed(lowp))
    return failure();
  auto parsedOutput = parseWord<FloatType>(
      "output", output, {{"f32", f32}, {"f16", f16}, {"bf16", bf16}},
      emitError);
  if (failed(parsedOutput))
    return failure();
  auto keeps = parseWord<bool>("keep-normalization", keepNormalization,
                               {{"false", false}, {"true", true}}, emitError);
  if (failed(keeps))
    return failure();
  PrecisionOptions options;
  options.mode = *parsedMode;
  options.lists = *parsedLists;
  options.lowp = *lowp;
  options.output = *parsedOutput;
  options.keepNormalization = *keeps;
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
  AutocastChoice words = *this;
  if (auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr)) {
    auto fill = [](std::string &word, StringRef written) {
      if (word.empty())
        word = written.str();
    };
    fill(words.mode, training.getAutocast().getValue());
    fill(words.precision, training.getPrecision().getValue());
    fill(words.lists, training.getLists().getValue());
    fill(words.output, training.getOutput().getValue());
    fill(words.keepNormalization,
         training.getKeepNormalization() ? "true" : "false");
  }
  auto options =
      words.parse(func.getContext(), [&] { return func.emitError(); });
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
  auto options = words.parse(func.getContext(), emitError);
  if (failed(options))
    return failure();
  if (auto texts = record.getAs<mlir::ArrayAttr>("policy"))
    for (auto text : texts.getAsRange<StringAttr>())
      if (failed(rules.addRule(text.getValue(), emitError)))
        return failure();
  options->rules = &rules;
  return std::optional<PrecisionOptions>(*options);
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
