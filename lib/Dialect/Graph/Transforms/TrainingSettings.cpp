#include "mpc/Dialect/Graph/Transforms/TrainingSettings.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>

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

std::string *TrainingSettings::wordField(StringRef option) {
  return llvm::StringSwitch<std::string *>(option)
      .Case("precision", &precision)
      .Case("autocast", &autocast)
      .Case("rounding", &rounding)
      .Case("optimizer", &optimizer)
      .Default(nullptr);
}

int64_t *TrainingSettings::integerField(StringRef option) {
  return llvm::StringSwitch<int64_t *>(option)
      .Case("scale-interval", &scaleInterval)
      .Case("bucket-bytes", &bucketBytes)
      .Default(nullptr);
}

double *TrainingSettings::numberField(StringRef option) {
  if (option == "lr")
    return &lr.emplace(0.0);
  return llvm::StringSwitch<double *>(option)
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
}

/// "none", "static", "dynamic", or a number: that static scale.
void TrainingSettings::setLossScale(StringRef text) {
  double value;
  if (text.getAsDouble(value) || !std::isfinite(value)) {
    scaleMode = text.str();
    return;
  }
  scaleMode = "static";
  scaleInit = value;
}

LogicalResult TrainingSettings::set(StringRef option, StringRef text,
                                    EmitError emitError) {
  if (text.empty())
    return success();
  auto wrong = [&](StringRef expected) {
    return emitError() << "expected " << expected << " for option '" << option
                       << "', but got '" << text << "'";
  };
  if (option == "loss-scale") {
    setLossScale(text);
  } else if (option == "nesterov") {
    nesterov = text == "true";
    if (!nesterov && text != "false")
      return wrong("true or false");
  } else if (std::string *word = wordField(option)) {
    *word = text.str();
  } else if (int64_t *integer = integerField(option)) {
    if (text.getAsInteger(10, *integer))
      return wrong("an integer");
  } else if (double *number = numberField(option)) {
    if (text.getAsDouble(*number) || !std::isfinite(*number))
      return wrong("a finite number");
  } else {
    llvm_unreachable("an option that mpc-apply-options does not have");
  }
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
