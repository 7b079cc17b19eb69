#include "mpc/Dialect/Graph/Transforms/TrainingSettings.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::graph;

TrainingSettings::TrainingSettings(TrainingAttr attribute) {
  if (!attribute)
    return;
  precision = attribute.getPrecision().str();
  autocast = attribute.getAutocast().str();
  rounding = attribute.getRounding().str();
  clipNorm = attribute.getClipNorm().value;
  bucketBytes = attribute.getBucketBytes();
  if (LossScaleAttr scale = attribute.getLossScale()) {
    scaleMode = scale.getMode().str();
    scaleInit = scale.getInit().value;
    scaleGrowth = scale.getGrowth().value;
    scaleBackoff = scale.getBackoff().value;
    scaleInterval = scale.getInterval();
  }
  if (OptimizerAttr chosen = attribute.getOptimizer()) {
    optimizer = chosen.getName().str();
    lr = chosen.getLr().value;
    weightDecay = chosen.getWeightDecay().value;
    momentum = chosen.getMomentum().value;
    nesterov = chosen.getNesterov();
    beta1 = chosen.getBeta1().value;
    beta2 = chosen.getBeta2().value;
    epsilon = chosen.getEpsilon().value;
  }
}

LogicalResult TrainingSettings::set(StringRef option, StringRef text,
                                    EmitError emitError) {
  if (text.empty())
    return success();
  auto wrong = [&](StringRef expected) {
    return emitError() << "expected " << expected << " for option '" << option
                       << "', but got '" << text << "'";
  };
  if (option == "lr") {
    double value;
    if (text.getAsDouble(value))
      return wrong("a number");
    lr = value;
    return success();
  }
  if (option == "loss-scale") {
    double value;
    bool isNumber = !text.getAsDouble(value);
    scaleMode = isNumber ? "static" : text.str();
    if (isNumber)
      scaleInit = value;
    return success();
  }
  if (option == "nesterov") {
    if (text != "true" && text != "false")
      return wrong("true or false");
    nesterov = text == "true";
    return success();
  }
  if (auto *word = llvm::StringSwitch<std::string *>(option)
                       .Case("precision", &precision)
                       .Case("autocast", &autocast)
                       .Case("rounding", &rounding)
                       .Case("optimizer", &optimizer)
                       .Default(nullptr)) {
    *word = text.str();
    return success();
  }
  if (auto *integer = llvm::StringSwitch<int64_t *>(option)
                          .Case("scale-interval", &scaleInterval)
                          .Case("bucket-bytes", &bucketBytes)
                          .Default(nullptr)) {
    if (text.getAsInteger(10, *integer))
      return wrong("an integer");
    return success();
  }
  auto *number = llvm::StringSwitch<double *>(option)
                     .Case("scale-init", &scaleInit)
                     .Case("scale-growth", &scaleGrowth)
                     .Case("scale-backoff", &scaleBackoff)
                     .Case("weight-decay", &weightDecay)
                     .Case("momentum", &momentum)
                     .Case("beta1", &beta1)
                     .Case("beta2", &beta2)
                     .Case("epsilon", &epsilon)
                     .Case("clip-norm", &clipNorm)
                     .Default(nullptr);
  if (!number)
    return emitError() << "expected an option of training, but got '" << option
                       << "'";
  if (text.getAsDouble(*number))
    return wrong("a number");
  return success();
}

FailureOr<OptimizerAttr>
TrainingSettings::buildOptimizer(MLIRContext *context,
                                 EmitError emitError) const {
  if (optimizer.empty())
    return OptimizerAttr();
  if (!lr)
    return emitError() << "expected a learning rate with optimizer '"
                       << optimizer << "': give option 'lr'";
  auto attribute = OptimizerAttr::getChecked(
      emitError, context, StringRef(optimizer), Real(*lr), Real(weightDecay),
      Real(momentum), nesterov, Real(beta1), Real(beta2), Real(epsilon));
  if (!attribute)
    return failure();
  return attribute;
}

FailureOr<TrainingAttr> TrainingSettings::build(MLIRContext *context,
                                                EmitError emitError) const {
  auto scale = LossScaleAttr::getChecked(
      emitError, context, StringRef(scaleMode), Real(scaleInit),
      Real(scaleGrowth), Real(scaleBackoff), scaleInterval);
  if (!scale)
    return failure();
  FailureOr<OptimizerAttr> chosen = buildOptimizer(context, emitError);
  if (failed(chosen))
    return failure();
  auto attribute = TrainingAttr::getChecked(
      emitError, context, StringAttr::get(context, precision),
      StringAttr::get(context, autocast), StringAttr::get(context, rounding),
      scale, *chosen, Real(clipNorm), bucketBytes);
  if (!attribute)
    return failure();
  return attribute;
}
