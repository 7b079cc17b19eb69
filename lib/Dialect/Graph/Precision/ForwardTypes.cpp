#include "ForwardTypes.h"
#include "OpTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mpc;
using namespace mpc::graph;

FloatType ForwardTypes::get(Value value) const {
  auto it = elements.find(value);
  return cast<FloatType>(
      it == elements.end() ? mlir::getElementTypeOrSelf(value) : it->second);
}

void ForwardTypes::setResults(Operation *op, const OpDecision &decision) {
  for (auto [result, type] : llvm::zip(op->getResults(), decision.resultTypes))
    set(result, mlir::getElementTypeOrSelf(type));
}

/// Those of `operands` whose value satisfies `votes`; all if none does.
static SmallVector<unsigned> findVoters(Operation *op,
                                        ArrayRef<unsigned> operands,
                                        function_ref<bool(Value)> votes) {
  SmallVector<unsigned> voters;
  llvm::copy_if(operands, std::back_inserter(voters),
                [&](unsigned index) { return votes(op->getOperand(index)); });
  return voters.empty() ? SmallVector<unsigned>(operands) : voters;
}

SmallVector<unsigned> mpc::graph::withoutNumbers(Operation *op,
                                                 ArrayRef<unsigned> operands) {
  return findVoters(op, operands, [](Value value) {
    return !isScalar(value) || !matchPattern(value, mlir::m_Constant());
  });
}

FloatType ForwardTypes::promote(Operation *op,
                                ArrayRef<unsigned> eligible) const {
  SmallVector<unsigned> voters =
      findVoters(op, withoutNumbers(op, eligible),
                 [](Value value) { return !isScalar(value); });
  FloatType type;
  for (unsigned index : voters) {
    FloatType operand = get(op->getOperand(index));
    if (type && type != operand)
      return mlir::Float32Type::get(op->getContext());
    type = operand;
  }
  return type;
}
