// PyTorch's rule per op (aten/src/ATen/autocast_mode.h), on the graph:
//   lower_precision_fp  eligible operands become lowp
//   fp32                eligible operands become f32
//   fp32_set_opt_dtype  operands stay; an unset dtype becomes f32 if the first
//                       operand is eligible; the user's dtype wins
//   fp32_append_dtype   the same, through an overload
//   promote             eligible operands become the widest of {lowp, f32};
//                       another float type is an error
//   fallthrough         not listed: ordinary type promotion
// Eligible means float and not f64.
#include "TorchPrecision.h"
#include "OpTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

using namespace mpc;
using namespace mpc::graph;

/// The place in PyTorch's lists that one of our words stands for.
static TorchPolicy toTorch(AutocastPolicy policy) {
  switch (policy) {
  case AutocastPolicy::Allow:
    return TorchPolicy::LowerPrecisionFp;
  case AutocastPolicy::Deny:
    return TorchPolicy::Fp32;
  case AutocastPolicy::Promote:
    return TorchPolicy::Promote;
  case AutocastPolicy::DenyIO:
  case AutocastPolicy::Infer:
  case AutocastPolicy::Clear:
    return TorchPolicy::Fallthrough;
  }
  llvm_unreachable("unknown autocast policy");
}

FloatType TorchPrecision::currentType(Value value) const {
  auto it = current.find(value);
  Type type = it == current.end() ? value.getType() : it->second;
  return cast<FloatType>(mlir::getElementTypeOrSelf(type));
}

/// Ordinary promotion: one type stays, two different ones meet in f32. Tensors
/// of rank 0 have no say next to others (c10::result_type).
FloatType TorchPrecision::promote(Operation *op, ArrayRef<unsigned> eligible) {
  auto isScalar = [&](unsigned index) {
    auto type = dyn_cast<mlir::ShapedType>(op->getOperand(index).getType());
    return !type || type.getRank() == 0;
  };
  bool onlyScalars = llvm::all_of(eligible, isScalar);
  FloatType type;
  for (unsigned index : eligible) {
    if (isScalar(index) && !onlyScalars)
      continue;
    FloatType operand = currentType(op->getOperand(index));
    if (type && type != operand)
      return mlir::Float32Type::get(op->getContext());
    type = operand;
  }
  return type;
}

FailureOr<FloatType> TorchPrecision::chooseType(Operation *op,
                                                TorchPolicy policy,
                                                ArrayRef<unsigned> eligible) {
  FloatType lowp = analysis.options.lowp;
  FloatType f32 = mlir::Float32Type::get(op->getContext());
  switch (policy) {
  case TorchPolicy::LowerPrecisionFp:
    return lowp;
  case TorchPolicy::Fp32:
  case TorchPolicy::Banned:
    return f32;
  case TorchPolicy::Promote: {
    FloatType widest = lowp;
    for (unsigned index : eligible) {
      FloatType type = currentType(op->getOperand(index));
      if (type != lowp && type != f32)
        return op->emitOpError("expected operands of policy promote to be ")
               << lowp << " or f32, but operand #" << index << " is " << type
               << ": cast it, or use mode cheapest, where " << type << " and "
               << lowp << " meet in f32";
      if (type == f32)
        widest = f32;
    }
    return widest;
  }
  case TorchPolicy::Fp32SetOptDtype:
  case TorchPolicy::Fp32AppendDtype:
  case TorchPolicy::Fallthrough:
    return promote(op, eligible);
  }
  llvm_unreachable("unknown torch policy");
}

void TorchPrecision::checkConstants(Operation *op, const OpDecision &decision) {
  for (auto [value, type] :
       llvm::zip(op->getOperands(), decision.operandTypes)) {
    mlir::ElementsAttr constant;
    auto to = dyn_cast_if_present<FloatType>(type);
    if (!to || to == currentType(value) ||
        !matchPattern(value, mlir::m_Constant(&constant)))
      continue;
    if (RangeFinding range = findRangeLoss(constant, to))
      analysis.findings.push_back(
          {value.getDefiningOp(), op, range, to, /*keptWide=*/false});
  }
}

LogicalResult TorchPrecision::decide(Operation *op) {
  SmallVector<unsigned> eligible = getRetypeableOperands(op);
  OpDecision decision = keepDeclared(op);
  if (eligible.empty()) {
    analysis.decisions[op] = std::move(decision);
    return success();
  }
  const PolicyRule *rule =
      analysis.options.rules ? analysis.options.rules->find(op) : nullptr;
  TorchPolicy policy = rule ? toTorch(rule->policy)
                            : cast<AutocastOpInterface>(op).getTorchPolicy(
                                  analysis.options.device);
  FailureOr<FloatType> type = chooseType(op, policy, eligible);
  if (failed(type))
    return failure();
  for (unsigned index : eligible)
    decision.operandTypes[index] = *type;

  bool setsDtype = (policy == TorchPolicy::Fp32SetOptDtype ||
                    policy == TorchPolicy::Fp32AppendDtype) &&
                   hasUnsetDtype(op) && eligible.front() == 0;
  FloatType f32 = mlir::Float32Type::get(op->getContext());
  if (setsDtype && *type != f32)
    decision.dtype = f32;
  auto results = inferResultTypes(op, decision.operandTypes, decision.dtype);
  if (failed(results))
    return failure();
  decision.resultTypes = std::move(*results);
  for (auto [result, resultType] :
       llvm::zip(op->getResults(), decision.resultTypes))
    current[result] = resultType;

  decision.word = stringifyTorchPolicy(policy);
  decision.type = *type;
  decision.reason = decision.word.str() + ": " + shortName(op).str() +
                    (decision.dtype ? " returns f32 from " : " runs in ") +
                    toString(*type) + describe(rule);
  checkConstants(op, decision);
  analysis.decisions[op] = std::move(decision);
  return success();
}

LogicalResult TorchPrecision::run(Block &body) {
  for (Operation &op : body)
    if (failed(decide(&op)))
      return failure();
  return success();
}
