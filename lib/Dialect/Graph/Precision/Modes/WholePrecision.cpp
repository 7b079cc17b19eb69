#include "WholePrecision.h"
#include "../OpTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;

WholePrecision::WholePrecision(PrecisionAnalysis &analysis,
                               MLIRContext *context)
    : analysis(analysis), f32(mlir::Float32Type::get(context)),
      compute(analysis.options.lowp ? analysis.options.lowp : f32),
      output(analysis.options.output ? analysis.options.output : f32) {}

/// Operands of the loss are outputs of the model; what is f32 already stays.
FloatType WholePrecision::chooseLossType(Operation *op,
                                         ArrayRef<unsigned> eligible) const {
  bool hasScalar = llvm::any_of(eligible, [&](unsigned index) {
    return isScalar(op->getOperand(index));
  });
  return hasScalar ? f32 : output;
}

std::pair<FloatType, std::string>
WholePrecision::chooseType(Operation *op, const OpPolicy &words,
                           ArrayRef<unsigned> eligible) const {
  FloatType narrow = words.lowp ? words.lowp : compute;
  if (words.forced)
    return {words.forced, "cast_inputs"};
  if (words.isGiven() && words.policy == AutocastPolicy::Deny)
    return {f32, "deny"};
  if (words.isGiven() && words.policy == AutocastPolicy::Allow)
    return {narrow, "allow"};
  if (lossOps.contains(op))
    return {chooseLossType(op, eligible), "output"};
  if (analysis.options.keepNormalization &&
      cast<AutocastOpInterface>(op).isNormalization())
    return {f32, "normalization"};
  // A region with a type of its own is a part of the model cast to it.
  FloatType met = current.promote(op, eligible);
  bool isOwn = words.region && words.region.getDtype() && !met.isF32();
  return {isOwn ? words.lowp : met, "whole"};
}

/// The results of an op that is kept f32 go on as `type`.
void WholePrecision::returnToModel(Operation *op, FloatType type) {
  for (Value result : op->getResults())
    if (getCastableType(result))
      current.set(result, type);
}

LogicalResult WholePrecision::decide(Operation *op) {
  SmallVector<unsigned> eligible = getRetypeableOperands(op);
  OpDecision decision = keepDeclared(op);
  if (op->hasTrait<mlir::OpTrait::ConstantLike>() &&
      getCastableType(op->getResult(0)))
    current.set(op->getResult(0), compute);
  if (eligible.empty()) {
    analysis.decisions[op] = std::move(decision);
    return success();
  }
  OpPolicy words = OpPolicy::of(op, analysis.options);
  if (!words.enabled) {
    analysis.decisions[op] = leaveAlone(op, words);
    return success();
  }
  auto [type, word] = chooseType(op, words, eligible);
  for (unsigned index : eligible) {
    FloatType ruled = words.operandType(index, compute);
    decision.operandTypes[index] = ruled ? ruled : type;
  }
  if (lossOps.contains(op) && !type.isF32() && hasUnsetDtype(op))
    decision.dtype = f32;
  auto results = inferResultTypes(op, decision.operandTypes, decision.dtype);
  if (failed(results))
    return failure();
  decision.resultTypes = std::move(*results);
  current.setResults(op, decision);
  if (word == "normalization" || word == "deny")
    returnToModel(op, words.lowp ? words.lowp : compute);
  decision.word = words.rule ? stringifyAutocastPolicy(words.policy) : "whole";
  decision.type = type;
  decision.reason =
      word + ": " + shortName(op).str() +
      (word == "output" ? " takes outputs of the model in " : " runs in ") +
      toString(type) + words.origin();
  analysis.noteLostConstants(op, decision);
  analysis.decisions[op] = std::move(decision);
  return success();
}

/// Results other than the loss pass through the output type.
void WholePrecision::roundOutputs(Operation *terminator,
                                  mlir::func::FuncOp func) {
  OpDecision &decision = analysis.decisions[terminator];
  decision.throughTypes.resize(terminator->getNumOperands());
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    FloatType declared = getCastableType(operand.get());
    if (!declared || func.getResultAttr(index, kLossAttr))
      continue;
    // f32 rounds nothing on the way to 16 bits: one cast does it.
    if (!output.isF32() || declared.isF32())
      decision.throughTypes[index] = output;
  }
}

LogicalResult WholePrecision::run(mlir::func::FuncOp func) {
  Block &body = func.getBody().front();
  for (Value argument : body.getArguments())
    if (getCastableType(argument))
      current.set(argument, compute);
  lossOps = collectLossOps(func, [](Operation *op) {
    auto autocast = dyn_cast<AutocastOpInterface>(op);
    return !autocast || autocast.getOwnPolicy() == AutocastPolicy::Allow;
  });
  for (Operation &op : body)
    if (failed(decide(&op)))
      return failure();
  roundOutputs(body.getTerminator(), func);
  return success();
}
