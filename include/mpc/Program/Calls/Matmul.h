// Matrix products as calls: their operands by name, and how matrices lie.
#ifndef MPC_PROGRAM_CALLS_MATMUL_H
#define MPC_PROGRAM_CALLS_MATMUL_H

#include "mpc/Program/Calls.h"

namespace mpc::program {

/// The operands of a product; null where it has none. Views the call.
struct MatmulCall {
  /// `call` is a verified product.
  explicit MatmulCall(const Call &call);

  bool hasScales() const { return lhsScale != nullptr; }
  int64_t rows() const { return toSpan(lhs->shape()).last(2).front(); }
  int64_t inner() const { return toSpan(lhs->shape()).back(); }
  int64_t columns() const { return toSpan(rhs->shape()).back(); }
  /// The batch dims of result and operands.
  std::span<const int64_t> batch() const {
    return toSpan(result->shape()).first(result->shape()->size() - 2);
  }

  const Matmul &options;
  const CallOperand *lhs, *rhs, *result, *bias, *addend, *aux, *lhsScale,
      *rhsScale;
};

/// How a matrix of an operand lies in memory.
struct MatrixLayout {
  bool transposed; ///< its columns are dense, not its rows
  int64_t leading; ///< elements between two dense rows (or columns)
};

/// Nothing if neither of the last two strides is 1 and the other as long as a
/// row. Of a matrix of one row or column both may be true: `transposed` is then
/// what `preferTransposed` says.
std::optional<MatrixLayout> getMatrixLayout(const CallOperand &operand,
                                            bool preferTransposed = false);

} // namespace mpc::program

#endif // MPC_PROGRAM_CALLS_MATMUL_H
