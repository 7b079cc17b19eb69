#include "Reference/Interpreter.h"

#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"

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
  FailureOr<std::vector<Tensor>> evaluateScan(graph::ScanOp scan);

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

/// Element `t` of a sequence, or `edge` if there is none.
static Tensor takeElement(const Tensor &sequence, int64_t t,
                          const Tensor *edge) {
  if (t < 0 || t >= sequence.shape[0])
    return *edge;
  Tensor element(sequence.type,
                 Shape(sequence.shape.begin() + 1, sequence.shape.end()));
  size_t size = element.size(), first = size * static_cast<size_t>(t);
  for (size_t i = 0; i < size; ++i)
    if (element.isFloat())
      element.reals[i] = sequence.reals[first + i];
    else
      element.ints[i] = sequence.ints[first + i];
  return element;
}

static void setElement(Tensor &sequence, int64_t t, const Tensor &element) {
  size_t first = element.size() * static_cast<size_t>(t);
  for (size_t i = 0; i < element.size(); ++i)
    if (element.isFloat())
      sequence.reals[first + i] = element.reals[i];
    else
      sequence.ints[first + i] = element.ints[i];
}

FailureOr<std::vector<Tensor>> Evaluator::evaluateScan(graph::ScanOp scan) {
  std::vector<Tensor> carried, stacked;
  for (Value value : scan.getCarried())
    carried.push_back(values.at(value));
  for (Value result : scan.getStacked())
    stacked.push_back(Tensor::zeros(result.getType()));
  auto steps = static_cast<int64_t>(scan.getSteps());
  for (int64_t n = 0; n < steps; ++n) {
    int64_t t = scan.getReverse() ? steps - 1 - n : n;
    std::vector<Tensor> taken = carried;
    for (auto [number, sequence] : llvm::enumerate(scan.getSequences())) {
      Value edge = scan.getEdge(number);
      taken.push_back(takeElement(values.at(sequence),
                                  t + scan.getShift(number),
                                  edge ? &values.at(edge) : nullptr));
    }
    for (Value constant : scan.getConstants())
      taken.push_back(values.at(constant));
    FailureOr<std::vector<Tensor>> yielded =
        run(scan.getBody().front(), std::move(taken));
    if (failed(yielded))
      return failure();
    for (size_t i = 0; i < stacked.size(); ++i)
      setElement(stacked[i], t, (*yielded)[carried.size() + i]);
    std::copy_n(yielded->begin(), carried.size(), carried.begin());
  }
  carried.insert(carried.end(), stacked.begin(), stacked.end());
  return carried;
}

/// The answer of the family that `op` is of.
static Answer evaluateByFamily(Operation *op, Operands in, Results out,
                               Mode mode) {
  for (auto *family :
       {evaluateElementwise, evaluateActivation, evaluateReduction,
        evaluateContraction, evaluateConvolution, evaluatePooling,
        evaluateResize, evaluateNormalization, evaluateAttention, evaluateShape,
        evaluateIndexing, evaluateLoss, evaluateCast, evaluateRandom,
        evaluateLossScale, evaluateCollective, evaluateOptimizer,
        evaluateSchedule})
    if (Answer answer = family(op, in, out))
      return answer;
  return evaluateRecurrent(op, in, out, mode);
}

FailureOr<std::vector<Tensor>> Evaluator::evaluateOp(Operation &op) {
  if (auto group = dyn_cast<graph::GroupOp>(op))
    return evaluateGroup(group);
  if (auto scan = dyn_cast<graph::ScanOp>(op))
    return evaluateScan(scan);
  std::vector<const Tensor *> in;
  for (Value operand : op.getOperands())
    in.push_back(&values.find(operand)->second);
  std::vector<Tensor> out;
  for (Type type : op.getResultTypes())
    out.push_back(Tensor::zeros(type));

  Answer answer = evaluateByFamily(&op, in, out, mode);
  if (!answer)
    return op.emitError("the reference interpreter does not know '")
           << op.getName() << "'";
  if (failed(*answer))
    return failure();
  if (mode == Mode::Rounded)
    for (Tensor &tensor : out)
      roundElements(tensor);
  return out;
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
