#include "Reference/Interpreter.h"

#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"

using namespace mpc;
using namespace mpc::reference;

namespace {
class Evaluator {
public:
  explicit Evaluator(Mode mode) : mode(mode) {}

  /// Operands of the terminator of `block`, whose arguments are `arguments`.
  FailureOr<std::vector<Tensor>> run(Block &block,
                                     std::vector<Tensor> arguments);

private:
  FailureOr<std::vector<Tensor>> evaluateOp(Operation &op);
  FailureOr<std::vector<Tensor>> evaluateGroup(graph::GroupOp group);

  Mode mode;
  DenseMap<Value, Tensor> values;
};
} // namespace

FailureOr<std::vector<Tensor>> Evaluator::run(Block &block,
                                              std::vector<Tensor> arguments) {
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = std::move(tensor);
  for (Operation &op : block.without_terminator()) {
    FailureOr<std::vector<Tensor>> results = evaluateOp(op);
    if (failed(results))
      return failure();
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *results))
      values[result] = std::move(tensor);
  }
  std::vector<Tensor> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values.at(value));
  return results;
}

FailureOr<std::vector<Tensor>> Evaluator::evaluateGroup(graph::GroupOp group) {
  std::vector<Tensor> inputs;
  for (Value value : group.getInputs())
    inputs.push_back(values.at(value));
  return run(group.getBody().front(), std::move(inputs));
}

FailureOr<std::vector<Tensor>> Evaluator::evaluateOp(Operation &op) {
  if (auto group = dyn_cast<graph::GroupOp>(op))
    return evaluateGroup(group);
  std::vector<const Tensor *> in;
  for (Value operand : op.getOperands())
    in.push_back(&values.find(operand)->second);
  std::vector<Tensor> out;
  for (Type type : op.getResultTypes())
    out.push_back(Tensor::zeros(type));

  for (auto *family :
       {evaluateElementwise, evaluateActivation, evaluateReduction,
        evaluateContraction, evaluateConvolution, evaluateNormalization,
        evaluateAttention, evaluateShape, evaluateIndexing, evaluateLoss,
        evaluateCast, evaluateRandom, evaluateLossScale, evaluateCollective,
        evaluateOptimizer, evaluateSchedule}) {
    Answer answer = family(&op, in, out);
    if (!answer)
      continue;
    if (failed(*answer))
      return failure();
    if (mode == Mode::Rounded)
      for (Tensor &tensor : out)
        roundElements(tensor);
    return out;
  }
  return op.emitError("the reference interpreter does not know '")
         << op.getName() << "'";
}

FailureOr<std::vector<Tensor>>
reference::evaluate(mlir::func::FuncOp function, std::vector<Tensor> arguments,
                    Mode mode) {
  if (function.isExternal())
    return function.emitError("expected a function with a body");
  if (arguments.size() != function.getNumArguments())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments, but got "
           << arguments.size();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    Tensor expected = Tensor::zeros(type);
    Tensor &argument = arguments[index];
    if (argument.type != expected.type || argument.shape != expected.shape)
      return function.emitError("expected argument ")
             << index << " to be " << typeString(expected) << ", but got "
             << typeString(argument);
    if (mode == Mode::Rounded)
      roundElements(argument);
  }
  return Evaluator(mode).run(function.getBody().front(), std::move(arguments));
}
