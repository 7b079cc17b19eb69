#include "ForwardTypes.h"
#include "OpTypes.h"

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

FloatType ForwardTypes::promote(Operation *op,
                                ArrayRef<unsigned> eligible) const {
  bool onlyScalars = llvm::all_of(eligible, [&](unsigned index) {
    return isScalar(op->getOperand(index));
  });
  FloatType type;
  for (unsigned index : eligible) {
    Value value = op->getOperand(index);
    if (isScalar(value) && !onlyScalars)
      continue;
    FloatType operand = get(value);
    if (type && type != operand)
      return mlir::Float32Type::get(op->getContext());
    type = operand;
  }
  return type;
}
