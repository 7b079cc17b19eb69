// Family Precision: type inference, verifiers.
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

LogicalResult UnscaleOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getGradients().getTypes());
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 1)));
  return success();
}

LogicalResult ScalerUpdateOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getScale().getType());
  types.push_back(adaptor.getGrowthTracker().getType());
  return success();
}

LogicalResult UnscaleOp::verify() {
  if (getGradients().empty()) // C1
    return emitOpError("expected at least one gradient");
  return success();
}

LogicalResult ScalerUpdateOp::verify() {
  double growth = getGrowthAttr().getValueAsDouble();
  double backoff = getBackoffAttr().getValueAsDouble();
  if (!std::isfinite(growth) || growth <= 1) // C1
    return emitOpError("expected a finite growth > 1, but got ")
           << getGrowthAttr();
  if (!(backoff > 0 && backoff < 1)) // C2
    return emitOpError("expected 0 < backoff < 1, but got ")
           << getBackoffAttr();
  int64_t interval = getInterval();
  if (interval < 1 || !llvm::isInt<32>(interval)) // C3
    return emitOpError("expected an interval >= 1 that fits the i32 tracker, "
                       "but got ")
           << interval;
  return success();
}

void UnscaleOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  if (!getUnscaled().empty())
    setName(getUnscaled().front(), "unscaled");
  setName(getFoundInf(), "found_inf");
}

void ScalerUpdateOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextScale(), "next_scale");
  setName(getNextGrowthTracker(), "next_growth_tracker");
}
