// Decides which parts of the update of a step become calls on lists of tensors.
// Reads only; mpc-fuse-updates rewrites by what it says.
//
// What is looked for, per parameter (brackets: may be missing):
//
//   raw -> [cast to f32] -> [unscale] -> [mul by a scalar] -> optimizer
//       -> [select(skip, old, next)] for parameter and moments
//       -> [cast of the next parameter to 16 bits]
//
// and over all gradients of one unscale: found_inf, and their global norm.
// Optimizers are found by OptimizerOpInterface. What has another form is left
// alone, and the reason is kept.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_UPDATEANALYSIS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_UPDATEANALYSIS_H

#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"

namespace mpc::graph {

/// The update of one parameter.
struct ParameterUpdate {
  OptimizerOpInterface optimizer;
  /// What the fused op reads: before unscale and widening cast.
  Value gradient;
  /// What the fused op's results replace: next parameter, next moments.
  SmallVector<Value> next;
  /// The 16-bit copy of the next parameter, or null.
  Value copy;
};

/// Updates that one op makes. Scalars are null where they do not apply.
struct FusedUpdate {
  SmallVector<ParameterUpdate> updates;
  Value foundInf, scale, coefficient;
};

/// Finite check and norm that one op makes per type of gradients.
struct FusedNorm {
  UnscaleOp unscale;            ///< Or null: gradients are not scaled.
  GlobalNormOp norm;            ///< Or null: nobody asks.
  SmallVector<Value> gradients; ///< Of 16 or 32 bits.
};

/// Why something was not fused.
struct UpdateRefusal {
  Operation *op;
  std::string reason;
};

class UpdateAnalysis {
public:
  explicit UpdateAnalysis(Block &block);

  ArrayRef<FusedUpdate> getUpdates() const { return updates; }
  ArrayRef<FusedNorm> getNorms() const { return norms; }
  ArrayRef<UpdateRefusal> getRefusals() const { return refusals; }

private:
  SmallVector<FusedUpdate> updates;
  SmallVector<FusedNorm> norms;
  SmallVector<UpdateRefusal> refusals;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_UPDATEANALYSIS_H
