// The types of a block's ops when its arguments come in types of their own and
// autocast is off: each op runs in the type in which its float operands meet
// (ordinary promotion: two different types meet in f32, rank-0 tensors have no
// say next to others), and its results follow by type inference. f64, integers
// and casts that somebody wrote stay as they are.
#ifndef MPC_DIALECT_GRAPH_PRECISION_TYPEPROPAGATION_H
#define MPC_DIALECT_GRAPH_PRECISION_TYPEPROPAGATION_H

#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"

namespace mpc::graph {

class TypePropagation {
public:
  /// `arguments` are the element types of the block's arguments. Fails with an
  /// error at the op that cannot be given a type.
  static FailureOr<TypePropagation> compute(Block &block,
                                            ArrayRef<Type> arguments);

  const OpDecision &lookup(Operation *op) const {
    return decisions.find(op)->second;
  }

private:
  DenseMap<Operation *, OpDecision> decisions;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_TYPEPROPAGATION_H
