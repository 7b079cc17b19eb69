// PyTorch's rule per op (aten/src/ATen/autocast_mode.h), on the graph:
//   lower_precision_fp  eligible operands become lowp
//   fp32                eligible operands become f32
//   fp32_set_opt_dtype  operands stay; an unset dtype becomes f32 if the first
//                       operand is eligible; the user's dtype wins
//   fp32_append_dtype   the same, through an overload
//   promote             eligible operands become the widest of {lowp, f32};
//                       another float type is an error
//   banned              an error there; here the op runs in f32, as in a region
//                       with autocast off, and a remark says so
//   fallthrough         not listed: ordinary type promotion
// Eligible means float and not f64.
//
// Apex O1 (apex/amp/wrap.py) patches functions with the same classes, but its
// promote lets operands of one type be, whichever it is, and refuses every pair
// but {lowp, f32}. It would cast f64 too; we do
// not.
#include "TorchPrecision.h"
#include "OpTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

using namespace mpc;
using namespace mpc::graph;

InFlightDiagnostic TorchPrecision::refuse(Operation *op, unsigned index,
                                          FloatType type) {
  FloatType lowp = analysis.options.lowp;
  return op->emitOpError("expected operands of policy promote to be ")
         << lowp << " or f32, but operand #" << index << " is " << type
         << ": cast it, or use mode cheapest, where " << type << " and " << lowp
         << " meet in f32";
}

/// Those of `eligible` that vote for the widest: not constants of rank 0, which
/// stand for Python's numbers, unless there are no others.
static SmallVector<unsigned> findVoters(Operation *op,
                                        ArrayRef<unsigned> eligible) {
  SmallVector<unsigned> voters;
  llvm::copy_if(eligible, std::back_inserter(voters), [&](unsigned index) {
    Value value = op->getOperand(index);
    return !isScalar(value) || !matchPattern(value, mlir::m_Constant());
  });
  return voters.empty() ? SmallVector<unsigned>(eligible) : voters;
}

FailureOr<FloatType> TorchPrecision::chooseWidest(Operation *op,
                                                  ArrayRef<unsigned> voters) {
  FloatType widest = analysis.options.lowp;
  for (unsigned index : voters) {
    FloatType type = current.get(op->getOperand(index));
    if (type != analysis.options.lowp && !type.isF32())
      return refuse(op, index, type);
    if (type.isF32())
      widest = type;
  }
  return widest;
}

FailureOr<FloatType>
TorchPrecision::chooseWidestInApex(Operation *op, ArrayRef<unsigned> voters) {
  FloatType first = current.get(op->getOperand(voters.front()));
  bool same = llvm::all_of(voters, [&](unsigned index) {
    return current.get(op->getOperand(index)) == first;
  });
  return same ? FailureOr<FloatType>(first) : chooseWidest(op, voters);
}

FailureOr<FloatType> TorchPrecision::chooseType(Operation *op,
                                                TorchPolicy policy,
                                                ArrayRef<unsigned> eligible) {
  switch (policy) {
  case TorchPolicy::LowerPrecisionFp:
    return analysis.options.lowp;
  case TorchPolicy::Fp32:
  case TorchPolicy::Banned:
    return FloatType(mlir::Float32Type::get(op->getContext()));
  case TorchPolicy::Promote:
    return analysis.options.lists == TorchLists::Apex
               ? chooseWidestInApex(op, findVoters(op, eligible))
               : chooseWidest(op, findVoters(op, eligible));
  case TorchPolicy::Fp32SetOptDtype:
  case TorchPolicy::Fp32AppendDtype:
  case TorchPolicy::Fallthrough:
    return current.promote(op, eligible);
  }
  llvm_unreachable("unknown torch policy");
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
  TorchPolicy policy = rule ? toTorchPolicy(rule->policy)
                            : cast<AutocastOpInterface>(op).getOwnTorchPolicy(
                                  analysis.options.lists);
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
  current.setResults(op, decision);

  decision.word = stringifyTorchPolicy(policy);
  decision.type = *type;
  decision.reason = decision.word.str() + ": " + shortName(op).str() +
                    (decision.dtype ? " returns f32 from " : " runs in ") +
                    toString(*type) + describe(rule);
  analysis.noteLostConstants(op, decision);
  analysis.decisions[op] = std::move(decision);
  return success();
}

LogicalResult TorchPrecision::run(Block &body) {
  for (Operation &op : body)
    if (failed(decide(&op)))
      return failure();
  return success();
}
