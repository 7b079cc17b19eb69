// Family Loss: type inference, verifiers, folders.
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

/// Losses are f32, or f64 for f64 predictions.
static Type lossType(Value prediction) {
  Type element = mlir::getElementTypeOrSelf(prediction);
  if (!element.isF64())
    element = mlir::Float32Type::get(element.getContext());
  return RankedTensorType::get({}, element);
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(lossType(adaptor.getLogits()));
  return success();
}

LogicalResult MseOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(lossType(adaptor.getPrediction()));
  return success();
}
