// Questions about one op that all modes ask: which operands may be retyped,
// and which types its results then have.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_OPTYPES_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_OPTYPES_H

#include "mpc/Dialect/Graph/Precision/OpPolicy.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::graph {

/// The attribute by which an op lets its caller choose the result's type.
constexpr StringRef kDtypeAttr = "dtype";

/// Whether `op` has an optional `dtype` attribute that is not set.
bool hasUnsetDtype(Operation *op);

/// Indices of the operands that autocast may cast: the op says so and they are
/// floats other than f64. Empty if one of its float operands is f64.
SmallVector<unsigned> getRetypeableOperands(Operation *op);

/// The float types among the operands `indices`, as declared, without repeats.
SmallVector<FloatType> getDeclaredTypes(Operation *op,
                                        ArrayRef<unsigned> indices);

/// Types of the results of `op` once operand i has element type
/// `operandTypes[i]` (null: as declared) and its `dtype` is `dtype` (null: as
/// it is). Fails with the op's own error.
FailureOr<SmallVector<Type>>
inferResultTypes(Operation *op, ArrayRef<Type> operandTypes, FloatType dtype);

/// Whether `value` is a number or a tensor of rank 0.
bool isScalar(Value value);

/// The op that makes the loss of `func`, and the rank-0 arithmetic that leads
/// to it (sums of losses, regularisers). The search does not enter ops of which
/// `ends` holds.
llvm::SetVector<Operation *>
collectLossOps(mlir::func::FuncOp func, function_ref<bool(Operation *)> ends);

/// The op leaves: every operand as declared, results as declared.
OpDecision keepDeclared(Operation *op);

/// The same for an op of a region that is off, and why.
OpDecision leaveAlone(Operation *op, const OpPolicy &words);

/// "f16" ; "matmul"
StringRef shortName(Operation *op);
/// " (rule 'graph.softmax=Deny')", or nothing without a rule.
std::string describe(const PolicyRule *rule);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_OPTYPES_H
