#include "mpc/Dialect/Graph/Analysis/PrecisionAnalysis.h"
#include "CheapestPrecision.h"
#include "OpTypes.h"
#include "TorchPrecision.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/Analysis/PrecisionProfile.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::graph;

FailureOr<PrecisionOptions>
PrecisionOptions::parse(StringRef mode, StringRef precision, StringRef lists,
                        MLIRContext *context,
                        PolicyRules::EmitError emitError) {
  PrecisionOptions options;
  if (mode != "cheapest" && mode != "torch")
    return emitError() << "expected mode to be cheapest or torch, but got '"
                       << mode << "'";
  if (lists != "cuda" && lists != "cpu")
    return emitError() << "expected lists to be cuda or cpu, but got '" << lists
                       << "'";
  if (precision != "fp16" && precision != "bf16" && precision != "fp32")
    return emitError()
           << "expected precision to be fp32, bf16 or fp16, but got '"
           << precision << "'";
  options.mode =
      mode == "torch" ? PrecisionMode::Torch : PrecisionMode::Cheapest;
  options.device = lists == "cpu" ? TorchLists::Cpu : TorchLists::Cuda;
  if (precision == "fp16")
    options.lowp = mlir::Float16Type::get(context);
  if (precision == "bf16")
    options.lowp = mlir::BFloat16Type::get(context);
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
  auto choose = [](StringRef option, StringRef written, StringRef otherwise) {
    return !option.empty() ? option : !written.empty() ? written : otherwise;
  };
  StringRef writtenMode = training ? training.getAutocast().getValue() : "";
  StringRef writtenPrecision =
      training ? training.getPrecision().getValue() : "";
  StringRef writtenLists = training ? training.getLists().getValue() : "";
  auto options = PrecisionOptions::parse(
      choose(mode, writtenMode, "cheapest"),
      choose(precision, writtenPrecision, "fp32"),
      choose(lists, writtenLists, "cuda"), func.getContext(),
      [&] { return func.emitError(); });
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
  if (tellsProfile)
    func.emitWarning("range profile '")
        << precisionProfile << "': expected precision fp16 or bf16, which it "
        << "is for, but got fp32; it has no effect";
  return success();
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
  LogicalResult decided = success();
  if (!options.lowp) {
    for (Operation &op : body) {
      analysis.decisions[&op] = keepDeclared(&op);
      if (options.rules)
        options.rules->find(&op);
    }
  } else if (options.mode == PrecisionMode::Torch) {
    decided = TorchPrecision(analysis).run(body);
  } else {
    decided = CheapestPrecision(analysis).run(func);
  }
  if (failed(decided))
    return failure();
  return analysis;
}
