// PyTorch's rule per op (aten/src/ATen/autocast_mode.h), on the graph:
//   lower_precision_fp  eligible operands become lowp
//   fp32                eligible operands become f32
//   fp32_set_opt_dtype  operands stay; an unset dtype becomes f32 if the first
//                       operand is eligible; the user's dtype wins
//   fp32_append_dtype   the same, through an overload
//   promote             eligible operands become the widest of {lowp, f32},
//                       found from the first to the last; another float type is
//                       an error unless an f32 stands before it
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
#include "../OpTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;

InFlightDiagnostic TorchPrecision::refuse(Operation *op, const OpPolicy &words,
                                          unsigned index, FloatType type) {
  FloatType lowp = words.lowp;
  return op->emitOpError("expected operands of policy promote to be ")
         << lowp << " or f32, but operand #" << index << " is " << type
         << " and none before it f32: cast it, or use mode cheapest, where "
         << type << " and " << lowp << " meet in f32";
}

FailureOr<FloatType> TorchPrecision::chooseWidest(Operation *op,
                                                  const OpPolicy &words,
                                                  ArrayRef<unsigned> voters) {
  FloatType widest = words.lowp;
  for (unsigned index : voters) {
    FloatType type = current.get(op->getOperand(index));
    if (type.isF32() || widest.isF32())
      widest = FloatType(mlir::Float32Type::get(op->getContext()));
    else if (type != words.lowp)
      return refuse(op, words, index, type);
  }
  return widest;
}

FailureOr<FloatType>
TorchPrecision::chooseWidestInApex(Operation *op, const OpPolicy &words,
                                   ArrayRef<unsigned> voters) {
  FloatType first = current.get(op->getOperand(voters.front()));
  bool same = llvm::all_of(voters, [&](unsigned index) {
    return current.get(op->getOperand(index)) == first;
  });
  return same ? FailureOr<FloatType>(first) : chooseWidest(op, words, voters);
}

/// Whether nothing is asked of the op and it takes mixed types.
static bool takesAsTheyAre(Operation *op, const OpPolicy &words) {
  return words.torch == TorchPolicy::Fallthrough &&
         cast<AutocastOpInterface>(op).takesMixedTypes();
}

FailureOr<FloatType> TorchPrecision::chooseType(Operation *op,
                                                const OpPolicy &words,
                                                ArrayRef<unsigned> eligible) {
  if (words.forced)
    return words.forced;
  switch (words.torch) {
  case TorchPolicy::LowerPrecisionFp:
    return words.lowp;
  case TorchPolicy::Fp32:
  case TorchPolicy::Banned:
    return FloatType(mlir::Float32Type::get(op->getContext()));
  case TorchPolicy::Promote:
    return words.lists == TorchLists::Apex
               ? chooseWidestInApex(op, words, withoutNumbers(op, eligible))
               : chooseWidest(op, words, withoutNumbers(op, eligible));
  case TorchPolicy::Fp32SetOptDtype:
  case TorchPolicy::Fp32AppendDtype:
  case TorchPolicy::Fallthrough:
    return takesAsTheyAre(op, words)
               ? current.get(op->getOperand(eligible.front()))
               : current.promote(op, eligible);
  }
  llvm_unreachable("unknown torch policy");
}

/// The op's type, unless a rule names the operand or operands stay.
FloatType TorchPrecision::typeOfOperand(Operation *op, unsigned index,
                                        const OpPolicy &words,
                                        FloatType type) const {
  if (FloatType ruled = words.operandType(index, words.lowp))
    return ruled;
  return takesAsTheyAre(op, words) ? current.get(op->getOperand(index)) : type;
}

LogicalResult TorchPrecision::decide(Operation *op) {
  SmallVector<unsigned> eligible = getRetypeableOperands(op);
  OpDecision decision = keepDeclared(op);
  if (eligible.empty()) {
    analysis.decisions[op] = std::move(decision);
    return success();
  }
  OpPolicy words = OpPolicy::of(op, analysis.options);
  if (!words.enabled) {
    words.torch = TorchPolicy::Fallthrough;
    words.forced = {};
  }
  FailureOr<FloatType> type = chooseType(op, words, eligible);
  if (failed(type))
    return failure();
  for (unsigned index : eligible)
    decision.operandTypes[index] = typeOfOperand(op, index, words, *type);

  bool setsDtype = (words.torch == TorchPolicy::Fp32SetOptDtype ||
                    words.torch == TorchPolicy::Fp32AppendDtype) &&
                   hasUnsetDtype(op) && eligible.front() == 0;
  FloatType f32 = mlir::Float32Type::get(op->getContext());
  if (setsDtype && *type != f32)
    decision.dtype = f32;
  auto results = inferResultTypes(op, decision.operandTypes, decision.dtype);
  if (failed(results))
    return failure();
  decision.resultTypes = std::move(*results);
  current.setResults(op, decision);

  decision.word =
      words.enabled ? stringifyTorchPolicy(words.torch) : StringRef("off");
  decision.type = *type;
  decision.reason = decision.word.str() + ": " + shortName(op).str() +
                    (decision.dtype ? " returns f32 from " : " runs in ") +
                    toString(*type) + words.origin();
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
