// Purpose: insert the casts that PrecisionAnalysis decided on, and retype the
// ops behind them. Decides nothing itself.
//
// Placement: in mode cheapest a cast is unique per (value, type) and stands
// right after the definition, so that all later users share it. In mode torch
// every operand gets its own cast at its op, as PyTorch casts per call, except
// casts of parameters, which PyTorch's cast cache makes once per step; CSE
// merges the others later.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

namespace mpc::graph {
#define GEN_PASS_DEF_AUTOCAST
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
namespace remark = mlir::remark;

namespace {

constexpr StringRef kPass = "mpc-autocast";

std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Follows the decisions for one function.
class CastInserter {
public:
  CastInserter(mlir::func::FuncOp func, const PrecisionAnalysis &analysis)
      : func(func), analysis(analysis), builder(func.getContext()),
        isTorch(analysis.getOptions().mode == PrecisionMode::Torch),
        bodyStart(&func.getBody().front().front()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front()))
      if (!isNew.contains(&op))
        rewrite(&op);
    remark::analysis(func.getLoc(),
                     remark::RemarkOpts::name("casts").category(kPass).function(
                         func.getName()))
        << llvm::formatv("{0} casts, {1} of them shared, {2} bytes per step",
                         isNew.size(), shared.size(), bytes)
               .str();
  }

private:
  void rewrite(Operation *op) {
    const OpDecision &decision = analysis.lookup(op);
    for (auto [operand, wanted] :
         llvm::zip(op->getOpOperands(), decision.operandTypes))
      if (wanted &&
          wanted != mlir::getElementTypeOrSelf(operand.get().getType()))
        operand.set(cast(operand, wanted));
    if (decision.dtype)
      op->setAttr("dtype", mlir::TypeAttr::get(decision.dtype));
    for (auto [result, type] :
         llvm::zip(op->getResults(), decision.resultTypes))
      result.setType(type);
    if (!watchesOf(op->getLoc()).empty())
      reportDecision(op, decision);
  }

  /// Only for ops that somebody watches: one remark per op is too many.
  void reportDecision(Operation *op, const OpDecision &decision) {
    if (decision.type)
      remark::analysis(op->getLoc(), remark::RemarkOpts::name("decision")
                                         .category(kPass)
                                         .function(func.getName()))
          << llvm::formatv("{0}, {1}, {2}", decision.word,
                           toString(decision.type), decision.reason)
                 .str();
  }

  bool isShared(Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return !isTorch || (argument && func.getArgAttr(argument.getArgNumber(),
                                                    kParameterAttr));
  }

  Value cast(OpOperand &operand, Type element) {
    Value value = operand.get();
    if (!isShared(value))
      return insert(operand, element);
    Value &known = shared[{value, element}];
    if (!known)
      known = insert(operand, element);
    return known;
  }

  void placeFor(OpOperand &operand) {
    if (isTorch)
      builder.setInsertionPoint(operand.getOwner());
    else if (isa<mlir::BlockArgument>(operand.get()))
      builder.setInsertionPoint(bodyStart);
    else
      builder.setInsertionPointAfterValue(operand.get());
  }

  Value insert(OpOperand &operand, Type element) {
    placeFor(operand);
    Operation *user = operand.getOwner();
    auto type = llvm::cast<RankedTensorType>(operand.get().getType());
    std::string reason = reasonOf(operand, element);
    bytes += getCastBytes(operand.get());
    auto op = CastOp::create(builder, withoutWatches(user->getLoc()),
                             type.clone(element), operand.get(),
                             builder.getStringAttr(reason));
    isNew.insert(op);
    remark::passed(user->getLoc(),
                   remark::RemarkOpts::name("cast").category(kPass).function(
                       func.getName()))
        << llvm::formatv(
               "operand #{0} of {1} from {2} to {3} because {4}",
               operand.getOperandNumber(), user->getName().getStringRef(),
               toString(type.getElementType()), toString(element), reason)
               .str();
    return op;
  }

  std::string reasonOf(OpOperand &operand, Type element) const {
    Operation *user = operand.getOwner();
    const OpDecision &decision = analysis.lookup(user);
    if (!decision.reason.empty())
      return decision.reason;
    if (user->hasTrait<mlir::OpTrait::IsTerminator>())
      return llvm::formatv("return: result #{0} is declared {1}",
                           operand.getOperandNumber(), toString(element))
          .str();
    return llvm::formatv("declared: {0} takes {1}",
                         user->getName().stripDialect(), toString(element))
        .str();
  }

  mlir::func::FuncOp func;
  const PrecisionAnalysis &analysis;
  OpBuilder builder;
  bool isTorch;
  Operation *bodyStart;
  DenseMap<std::pair<Value, Type>, Value> shared;
  DenseSet<Operation *> isNew;
  int64_t bytes = 0;
};

/// Constants that do not fit, one warning per constant and type.
void reportConstants(mlir::func::FuncOp func,
                     const PrecisionAnalysis &analysis) {
  DenseSet<std::pair<Operation *, Type>> reported;
  for (const ConstantFinding &finding : analysis.getFindings()) {
    if (!reported.insert({finding.constant, finding.type}).second)
      continue;
    std::string what = describe(finding.range, finding.type);
    StringRef user = finding.user->getName().getStringRef();
    InFlightDiagnostic warning = mlir::emitWarning(finding.constant->getLoc());
    if (finding.keptWide) {
      warning << what << ": it stays f32, and so does " << user;
      remark::missed(finding.constant->getLoc(),
                     remark::RemarkOpts::name("constant")
                         .category(kPass)
                         .function(func.getName()))
          << what + ", stays f32";
    } else {
      warning << what << " and " << user << " reads it in " << finding.type
              << ": choose a constant within the range of " << finding.type
              << ", deny the op, or use mode cheapest, which keeps it f32";
    }
    warning.attachNote(finding.user->getLoc()) << "used here";
  }
}

struct Autocast final : impl::AutocastBase<Autocast> {
  using Base::Base;

  /// What the gate and the reports read back.
  void record(mlir::func::FuncOp func, const PrecisionOptions &options) {
    PolicyRules &rules = *options.rules;
    Builder builder(func.getContext());
    StringRef precision = !options.lowp          ? "fp32"
                          : options.lowp.isF16() ? "fp16"
                                                 : "bf16";
    SmallVector<NamedAttribute> fields = {
        builder.getNamedAttr(
            "mode", builder.getStringAttr(options.mode == PrecisionMode::Torch
                                              ? "torch"
                                              : "cheapest")),
        builder.getNamedAttr("precision", builder.getStringAttr(precision)),
        builder.getNamedAttr(
            "lists", builder.getStringAttr(
                         options.device == TorchLists::Cpu ? "cpu" : "cuda"))};
    if (!rules.texts().empty())
      fields.push_back(builder.getNamedAttr(
          "policy", builder.getStrArrayAttr(rules.texts())));
    func->setAttr(kAutocastAttr, builder.getDictionaryAttr(fields));
  }

  void emitDecisions(mlir::func::FuncOp func,
                     const PrecisionAnalysis &analysis) {
    for (Operation &op : func.getBody().front()) {
      const OpDecision &decision = analysis.lookup(&op);
      if (decision.type)
        op.emitRemark() << decision.word << ", " << decision.type << ", "
                        << decision.reason;
    }
  }

  LogicalResult runOnFunction(mlir::func::FuncOp func,
                              const AutocastChoice &choice,
                              PolicyRules &rules) {
    if (func->hasAttr(kAutocastAttr))
      return func.emitError("expected a function without autocast, but ")
             << kAutocastAttr << " says that mpc-autocast has run on it";
    FailureOr<PrecisionOptions> options = choice.resolve(func, rules);
    if (failed(options))
      return failure();
    auto analysis = PrecisionAnalysis::compute(func, *options);
    if (failed(analysis))
      return failure();
    reportConstants(func, *analysis);
    if (printDecisions) {
      emitDecisions(func, *analysis);
      return success();
    }
    CastInserter(func, *analysis).run();
    record(func, *options);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    AutocastChoice choice{mode, precision, lists, policy, policyFile};
    choice.precisionProfile = precisionProfile;
    choice.profileOverflow = profileOverflow;
    choice.profileFlush = profileFlush;
    choice.tellsProfile = true;
    PolicyRules rules;
    if (failed(choice.readRules(module, rules)))
      return signalPassFailure();
    for (auto func : module.getOps<mlir::func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr(kEntryAttr) &&
          failed(runOnFunction(func, choice, rules)))
        return signalPassFailure();
    for (const PolicyRule *rule : rules.unmatched())
      module.emitWarning("policy rule '") << rule->text << "' matches no op";
  }
};

} // namespace
