// The state of a loss scaler in a step, and its next value. Private to this
// room and the tests of the scalers.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_SCALE_SCALERSTATE_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_SCALE_SCALERSTATE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

namespace mpc::graph {
class ScalerUpdateOp;

/// The arguments that hold one scaler. A static one has only a scale.
struct ScalerState {
  Value scale, growthTracker, hysteresisTracker;
};

/// Adds the state that a scaler with `settings` needs; `loss` is empty for the
/// only one. Fails with an error where a name is taken.
FailureOr<ScalerState> addScalerState(LossScaleAttr settings, StringRef loss,
                                      SignatureEditor &signature);

/// `graph.scaler_update` as `settings` want it.
ScalerUpdateOp buildScalerUpdate(mlir::ImplicitLocOpBuilder &builder,
                                 LossScaleAttr settings,
                                 const ScalerState &state, Value foundInf);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_SCALE_SCALERSTATE_H
