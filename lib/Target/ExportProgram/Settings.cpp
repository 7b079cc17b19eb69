#include "Settings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::target;

namespace {

/// The shortest of "%g" that reads back as `value`.
std::string toText(graph::Real value) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value.value);
    double back = 0;
    if (llvm::to_float(text, back) && back == value.value)
      break;
  }
  return text;
}

} // namespace

void target::addSettings(program::ProgramT &program,
                         graph::TrainingAttr training) {
  auto add = [&](StringRef key, std::string value) {
    auto pair = std::make_unique<program::KeyValueT>();
    pair->key = key.str();
    pair->value = std::move(value);
    program.settings.push_back(std::move(pair));
  };
  add("precision", training.getPrecision().str());
  add("autocast", training.getAutocast().str());
  add("rounding", training.getRounding().str());
  add("clip-norm", toText(training.getClipNorm()));
  add("bucket-bytes", std::to_string(training.getBucketBytes()));
  if (graph::LossScaleAttr scale = training.getLossScale()) {
    add("loss-scale", scale.getMode().str());
    add("scale-init", toText(scale.getInit()));
    add("scale-growth", toText(scale.getGrowth()));
    add("scale-backoff", toText(scale.getBackoff()));
    add("scale-interval", std::to_string(scale.getInterval()));
  }
  if (graph::OptimizerAttr optimizer = training.getOptimizer()) {
    add("optimizer", optimizer.getName().str());
    add("lr", toText(optimizer.getLr()));
    add("weight-decay", toText(optimizer.getWeightDecay()));
    add("momentum", toText(optimizer.getMomentum()));
    add("nesterov", optimizer.getNesterov() ? "true" : "false");
    add("beta1", toText(optimizer.getBeta1()));
    add("beta2", toText(optimizer.getBeta2()));
    add("epsilon", toText(optimizer.getEpsilon()));
  }
}
