// Purpose: insert the casts that PrecisionAnalysis decided on, and retype the
// ops after them. Decides nothing itself.
//
// Placement: in mode cheapest a cast is unique per (value, type) and stands
// right after the definition, so that all later users share it; in modes tf and
// whole too. In mode torch every operand gets its own cast at its op, as
// PyTorch casts per call, except casts of parameters, which PyTorch's cast
// cache makes once per step; CSE merges the others later.
#include "Reports.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/Settings/SettingNeeds.h"
#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Text/TypeText.h"
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
    for (auto [operand, through] :
         llvm::zip(op->getOpOperands(), decision.throughTypes))
      castTo(operand, through, /*through=*/true);
    for (auto [operand, wanted] :
         llvm::zip(op->getOpOperands(), decision.operandTypes))
      castTo(operand, wanted);
    if (decision.dtype)
      op->setAttr("dtype", mlir::TypeAttr::get(decision.dtype));
    if (auto cast = dyn_cast<CastOp>(op);
        cast && cast.getType() != decision.resultTypes.front())
      reportNarrowed(cast, decision);
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

  /// Mode tf gives a cast that somebody wrote another result.
  void reportNarrowed(CastOp cast, const OpDecision &decision) {
    remark::passed(cast.getLoc(), remark::RemarkOpts::name("existing-cast")
                                      .category(kPass)
                                      .function(func.getName()))
        << llvm::formatv("result from {0} to {1} because {2}",
                         toString(cast.getType().getElementType()),
                         toString(mlir::getElementTypeOrSelf(
                             decision.resultTypes.front())),
                         decision.reason)
               .str();
  }

  bool isShared(Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return !isTorch || (argument && func.getArgAttr(argument.getArgNumber(),
                                                    kParameterAttr));
  }

  /// Gives `operand` the element type `wanted`, if there is one and it has not.
  void castTo(OpOperand &operand, Type wanted, bool through = false) {
    Value value = operand.get();
    if (!wanted || wanted == mlir::getElementTypeOrSelf(value))
      return;
    if (!isShared(value)) {
      operand.set(insert(operand, wanted, through));
      return;
    }
    Value &known = shared[{value, wanted}];
    if (!known)
      known = insert(operand, wanted, through);
    operand.set(known);
  }

  void placeFor(OpOperand &operand) {
    if (isTorch)
      builder.setInsertionPoint(operand.getOwner());
    else if (isa<mlir::BlockArgument>(operand.get()))
      builder.setInsertionPoint(bodyStart);
    else
      builder.setInsertionPointAfterValue(operand.get());
  }

  Value insert(OpOperand &operand, Type element, bool through) {
    placeFor(operand);
    Operation *user = operand.getOwner();
    auto type = llvm::cast<RankedTensorType>(operand.get().getType());
    std::string reason =
        through ? throughReason(operand, element) : reasonOf(operand, element);
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

  static std::string throughReason(OpOperand &operand, Type element) {
    return llvm::formatv("output: result #{0} leaves the model in {1}",
                         operand.getOperandNumber(), toString(element))
        .str();
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

struct Autocast final : impl::AutocastBase<Autocast> {
  using Base::Base;

  /// What the gate and the reports read back: the words of the settings that
  /// the mode has.
  void record(mlir::func::FuncOp func, const PrecisionOptions &options) {
    Builder builder(func.getContext());
    SmallVector<NamedAttribute> fields;
    auto add = [&](StringRef name, Attribute value) {
      fields.push_back(builder.getNamedAttr(name, value));
    };
    auto addWord = [&](StringRef name, StringRef word) {
      add(name, builder.getStringAttr(word));
    };
    addWord("mode", stringifyEnum(options.mode));
    addWord("precision", !options.lowp          ? "fp32"
                         : options.lowp.isF16() ? "fp16"
                                                : "bf16");
    if (options.mode == PrecisionMode::Torch)
      addWord("lists", stringifyEnum(options.lists));
    if (options.mode == PrecisionMode::Whole) {
      addWord("output", toString(options.output));
      addWord("keep_normalization",
              options.keepNormalization ? "true" : "false");
    }
    if (PolicyRules &rules = *options.rules; !rules.texts().empty())
      add("policy", builder.getStrArrayAttr(rules.texts()));
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
    reportBanned(func, *analysis);
    if (printDecisions) {
      emitDecisions(func, *analysis);
      return success();
    }
    CastInserter(func, *analysis).run();
    reportWidened(func);
    record(func, *options);
    (options->lowp ? hasNarrow : hasWide) = true;
    return success();
  }

  /// What chooses between f32 and 16 bits needs a model with a choice.
  LogicalResult checkUses(ModuleOp module) {
    for (const auto *option : {&policy, &policyFile, &precisionProfile})
      if (hasWide && !hasNarrow && !option->empty())
        return module.emitError()
               << "option '" << option->getArgStr() << "=" << option->getValue()
               << "': " << describeUnmet(kNarrow);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    hasNarrow = hasWide = false;
    AutocastChoice choice{mode,   precision, lists, output, keepNormalization,
                          policy, policyFile};
    choice.precisionProfile = precisionProfile;
    choice.profileOverflow = profileOverflow;
    choice.profileFlush = profileFlush;
    choice.tellsProfile = true;
    PolicyRules rules;
    if (failed(choice.readRules(module, rules)))
      return signalPassFailure();
    for (auto func : module.getOps<mlir::func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr(kEntryAttr) &&
          !isImplementation(func) && failed(runOnFunction(func, choice, rules)))
        return signalPassFailure();
    if (failed(checkUses(module)))
      return signalPassFailure();
    for (const PolicyRule *rule : rules.unmatched())
      module.emitWarning("policy rule '") << rule->text << "' matches no op";
  }

  /// Whether there are models of 16 bits, and of fp32.
  bool hasNarrow = false, hasWide = false;
};

} // namespace
