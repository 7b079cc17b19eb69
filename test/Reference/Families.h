// The families of the interpreter. Each function evaluates `op` if it belongs
// to its family and answers nothing otherwise; `out` holds zeros of the result
// types. Results are not rounded here: the interpreter does that; an op of many
// steps rounds what they hand to each other. Failure comes with a diagnostic at
// the op.
#ifndef MPC_TEST_REFERENCE_FAMILIES_H
#define MPC_TEST_REFERENCE_FAMILIES_H

#include "Reference/Interpreter.h"

namespace mpc::reference {

using Operands = ArrayRef<const Tensor *>;
using Results = MutableArrayRef<Tensor>;
using Answer = std::optional<LogicalResult>;

Answer evaluateElementwise(Operation *op, Operands in, Results out);
Answer evaluateActivation(Operation *op, Operands in, Results out);
Answer evaluateReduction(Operation *op, Operands in, Results out);
Answer evaluateContraction(Operation *op, Operands in, Results out);
Answer evaluateConvolution(Operation *op, Operands in, Results out);
Answer evaluatePooling(Operation *op, Operands in, Results out);
Answer evaluateResize(Operation *op, Operands in, Results out);
Answer evaluateNormalization(Operation *op, Operands in, Results out);
Answer evaluateAttention(Operation *op, Operands in, Results out);
Answer evaluateShape(Operation *op, Operands in, Results out);
Answer evaluateIndexing(Operation *op, Operands in, Results out);
Answer evaluateLoss(Operation *op, Operands in, Results out);
Answer evaluateCast(Operation *op, Operands in, Results out);
Answer evaluateRandom(Operation *op, Operands in, Results out);
Answer evaluateLossScale(Operation *op, Operands in, Results out);
Answer evaluateCollective(Operation *op, Operands in, Results out);
Answer evaluateRecurrent(Operation *op, Operands in, Results out, Mode mode);
Answer evaluateOptimizer(Operation *op, Operands in, Results out);
Answer evaluateSchedule(Operation *op, Operands in, Results out);

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_FAMILIES_H
