#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Interfaces/Target.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;

#include "mpc/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "mpc/Dialect/Graph/IR/GraphEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Graph/IR/GraphAttrs.cpp.inc"

void GraphDialect::initialize() {
  registerGraphDialectOperations(this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mpc/Dialect/Graph/IR/GraphAttrs.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

const TargetDescription &graph::getTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(kTargetAttr) : nullptr;
  const TargetDescription *target = name ? findTarget(name) : nullptr;
  return target ? *target : allTargets().front();
}

//===-- Attribute verifiers ----------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

LogicalResult NormalAttr::verify(EmitError emitError, Real, Real stddev) {
  if (stddev.value < 0)
    return emitError() << "expected stddev >= 0, but got " << stddev;
  return success();
}

LogicalResult UniformAttr::verify(EmitError emitError, Real low, Real high) {
  if (low.value > high.value)
    return emitError() << "expected low <= high, but got " << low << " and "
                       << high;
  return success();
}

/// Arithmetic on the value is f32; it must not begin with infinity.
static bool isInRangeOfF32(Real value) {
  return value.value <= std::numeric_limits<float>::max();
}

LogicalResult LossScaleAttr::verify(EmitError emitError, StringRef mode,
                                    Real init, Real growth, Real backoff,
                                    int64_t interval) {
  if (mode != "none" && mode != "static" && mode != "dynamic")
    return emitError() << "expected mode none, static or dynamic, but got '"
                       << mode << "'";
  if (!(init.value > 0) || !(growth.value > 1) ||
      !(backoff.value > 0 && backoff.value < 1) || interval < 1)
    return emitError() << "expected init > 0, growth > 1, 0 < backoff < 1 and "
                          "interval >= 1, but got "
                       << init << ", " << growth << ", " << backoff << " and "
                       << interval;
  if (!isInRangeOfF32(init))
    return emitError() << "expected an init in the range of f32, but got "
                       << init;
  return success();
}

LogicalResult OptimizerAttr::verify(EmitError emitError, StringRef name,
                                    Real lr, Real weightDecay, Real momentum,
                                    bool nesterov, Real beta1, Real beta2,
                                    Real epsilon) {
  if (name != "sgd" && name != "adamw")
    return emitError() << "expected optimizer sgd or adamw, but got '" << name
                       << "'";
  if (lr.value < 0 || weightDecay.value < 0 || momentum.value < 0 ||
      epsilon.value < 0)
    return emitError() << "expected lr, weight_decay, momentum and epsilon >= "
                          "0, but got "
                       << lr << ", " << weightDecay << ", " << momentum
                       << " and " << epsilon;
  for (Real value : {lr, weightDecay, momentum, epsilon})
    if (!isInRangeOfF32(value))
      return emitError() << "expected lr, weight_decay, momentum and epsilon "
                            "in the range of f32, but got "
                         << value;
  auto isBeta = [](double beta) { return beta >= 0 && beta < 1; };
  if (!isBeta(beta1.value) || !isBeta(beta2.value))
    return emitError() << "expected 0 <= beta < 1, but got " << beta1 << " and "
                       << beta2;
  if (nesterov && !(momentum.value > 0))
    return emitError() << "expected momentum > 0 with nesterov, but got "
                       << momentum;
  return success();
}

LogicalResult TrainingAttr::verify(EmitError emitError, StringAttr precision,
                                   StringAttr autocast, StringAttr rounding,
                                   LossScaleAttr, OptimizerAttr, Real clipNorm,
                                   int64_t bucketBytes) {
  StringRef p = precision.getValue(), a = autocast.getValue(),
            r = rounding.getValue();
  if (p != "fp32" && p != "bf16" && p != "fp16")
    return emitError() << "expected precision fp32, bf16 or fp16, but got '"
                       << p << "'";
  if (a != "cheapest" && a != "torch")
    return emitError() << "expected autocast cheapest or torch, but got '" << a
                       << "'";
  if (r != "fused" && r != "strict")
    return emitError() << "expected rounding fused or strict, but got '" << r
                       << "'";
  if (clipNorm.value < 0 || bucketBytes < 1)
    return emitError() << "expected clip_norm >= 0 and bucket_bytes >= 1, but "
                          "got "
                       << clipNorm << " and " << bucketBytes;
  return success();
}
