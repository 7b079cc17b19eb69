#include "mpc/Dialect/Graph/Precision/TypePropagation.h"
#include "ForwardTypes.h"
#include "OpTypes.h"

using namespace mpc;
using namespace mpc::graph;

/// `op` in the type in which its operands meet.
static LogicalResult decide(Operation *op, ForwardTypes &current,
                            OpDecision &decision) {
  decision = keepDeclared(op);
  SmallVector<unsigned> operands = getRetypeableOperands(op);
  if (operands.empty())
    return success();
  auto words = cast<AutocastOpInterface>(op);
  decision.type = current.promote(op, operands);
  for (unsigned index : operands)
    decision.operandTypes[index] = words.takesMixedTypes()
                                       ? current.get(op->getOperand(index))
                                       : decision.type;
  auto results = inferResultTypes(op, decision.operandTypes, /*dtype=*/{});
  if (failed(results))
    return failure();
  decision.resultTypes = std::move(*results);
  current.setResults(op, decision);
  return success();
}

FailureOr<TypePropagation> TypePropagation::compute(Block &block,
                                                    ArrayRef<Type> arguments) {
  TypePropagation types;
  ForwardTypes current;
  for (auto [argument, element] : llvm::zip(block.getArguments(), arguments))
    if (getCastableType(argument))
      current.set(argument, element);
  for (Operation &op : block)
    if (failed(decide(&op, current, types.decisions[&op])))
      return failure();
  return types;
}
