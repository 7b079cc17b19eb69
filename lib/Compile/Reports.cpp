#include "Reports.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/Analysis/SavedValues.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::compile;
using mlir::func::FuncOp;

namespace {

std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

/// "digits.mlir:12"; empty if `location` is in no file.
std::string whereOf(Location location) {
  SmallVector<std::string> names;
  graph::collectLocationNames(location, names);
  if (names.empty())
    return "";
  StringRef name = names.back();
  return name.substr(name.rfind('/') + 1).rsplit(':').first.str();
}

void printRow(llvm::raw_ostream &stream, ArrayRef<std::string> cells,
              ArrayRef<unsigned> widths) {
  std::string line = " ";
  for (auto [cell, width] : llvm::zip_first(cells, widths)) {
    line += " " + cell;
    line.append(cell.size() < width ? width - cell.size() : 0, ' ');
  }
  stream << StringRef(line).rtrim() << "\n";
}

} // namespace

LogicalResult compile::printPolicy(ModuleOp module,
                                   const PipelineOptions &options,
                                   llvm::raw_ostream &stream) {
  constexpr unsigned widths[] = {22, 20, 6, 22, 0};
  graph::AutocastChoice choice;
  auto setting = [&](StringRef name) {
    auto text = options.training.find(name);
    return text == options.training.end() ? std::string() : text->second;
  };
  choice.mode = setting("autocast");
  choice.precision = setting("precision");
  choice.lists = setting("lists");
  choice.output = setting("output");
  choice.keepNormalization = setting("keep-normalization");
  choice.policy = options.policy;
  choice.policyFile = options.policyFile;
  choice.precisionProfile = options.precisionProfile;
  if (!options.profileOverflow.empty())
    choice.profileOverflow = options.profileOverflow;
  if (!options.profileFlush.empty())
    choice.profileFlush = options.profileFlush;
  graph::PolicyRules rules;
  if (failed(choice.readRules(module, rules)))
    return failure();
  for (auto func : module.getOps<FuncOp>()) {
    if (func->hasAttr(graph::kEntryAttr))
      continue;
    auto resolved = choice.resolve(func, rules);
    if (failed(resolved))
      return failure();
    auto analysis = graph::PrecisionAnalysis::compute(func, *resolved);
    if (failed(analysis))
      return failure();
    stream << "precision of each op of @" << func.getName() << "\n";
    for (Operation &op : func.getBody().front().without_terminator()) {
      const graph::OpDecision &decision = analysis->lookup(&op);
      printRow(stream,
               {op.getName().getStringRef().str(), decision.word.str(),
                decision.type ? text(decision.type) : "-", whereOf(op.getLoc()),
                decision.reason},
               widths);
    }
  }
  return success();
}

void compile::printCasts(ModuleOp module, llvm::raw_ostream &stream) {
  constexpr unsigned widths[] = {22, 22, 12, 22, 0};
  int64_t total = 0;
  for (auto func : module.getOps<FuncOp>()) {
    stream << "casts of @" << func.getName() << "\n";
    func.walk([&](graph::CastOp cast) {
      Type from = cast.getInput().getType(), to = cast.getType();
      int64_t bytes = graph::getBytes(from, mlir::getElementTypeOrSelf(from)) +
                      graph::getBytes(to, mlir::getElementTypeOrSelf(to));
      total += bytes;
      printRow(
          stream,
          {text(from), text(to), std::to_string(bytes), whereOf(cast.getLoc()),
           cast.getReason() ? cast.getReason().str() : "written in the model"},
          widths);
    });
  }
  stream << "  all casts: " << total << " bytes read and written, before "
         << "kernels are fused\n";
}

void SavedReport::atImport(ModuleOp module, bool inference) {
  wide = module.clone();
  // What is to be said about the model, the pipeline says.
  mlir::ScopedDiagnosticHandler silence(module.getContext(),
                                        [](mlir::Diagnostic &) {});
  mlir::PassManager pm(module.getContext());
  graph::DifferentiateOptions differentiate;
  differentiate.forwardOnly = inference;
  pm.addPass(graph::createDifferentiate(differentiate));
  if (failed(pm.run(*wide)))
    wide = {};
}

void SavedReport::print(ModuleOp module, llvm::raw_ostream &stream) const {
  if (wide)
    graph::printSavedValues(graph::compareSavedValues(*wide, module), stream);
}
