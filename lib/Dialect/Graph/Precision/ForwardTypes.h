// Types of values while a mode decides op by op, forward: what torch and whole
// share. A value starts with its declared type; ops whose types changed give
// their results new ones.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_FORWARDTYPES_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_FORWARDTYPES_H

#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"

namespace mpc::graph {

/// Those of `operands` that are no constants of rank 0, which stand for numbers
/// of Python; all of them if there are no others.
SmallVector<unsigned> withoutNumbers(Operation *op,
                                     ArrayRef<unsigned> operands);

class ForwardTypes {
public:
  /// The float element type of `value` now.
  FloatType get(Value value) const;
  /// `value` counts as `element` from here on.
  void set(Value value, Type element) { elements[value] = element; }
  /// The results of `op` have the types that were decided.
  void setResults(Operation *op, const OpDecision &decision);

  /// Ordinary promotion of the operands `eligible`: one type stays, two
  /// different ones meet in f32. As in c10::result_type tensors of rank 0 have
  /// no say next to others, and numbers none next to tensors.
  FloatType promote(Operation *op, ArrayRef<unsigned> eligible) const;

private:
  DenseMap<Value, Type> elements;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_FORWARDTYPES_H
