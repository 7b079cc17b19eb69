#include "Metrics.h"

#include "Failure.h"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace mpc::run;
using Json = nlohmann::ordered_json; // writes null for what is not finite

static Failure writeFailure(const std::string &path) {
  return Failure(Exit::Failed,
                 "'" + path + "': cannot be written: " + std::strerror(errno));
}

MetricsFile::MetricsFile(const std::string &path, bool append)
    : path(path), file(std::fopen(path.c_str(), append ? "ae" : "we")) {
  if (!file)
    throw writeFailure(path);
}

void MetricsFile::writeLine(const std::string &line) {
  if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size())
    throw writeFailure(path);
}

void MetricsFile::flush() {
  if (std::fflush(file.get()) != 0)
    throw writeFailure(path);
}

template <typename T>
static void put(Json &line, const char *key, const std::optional<T> &value) {
  if (value)
    line[key] = *value;
}

void MetricsFile::write(const StepMetrics &step) {
  Json line;
  line["step"] = step.step;
  line["epoch"] = step.epoch;
  put(line, "retry", step.retry);
  put(line, "loss", step.loss);
  put(line, "nonfinite_loss", step.nonFiniteLoss);
  put(line, "scale", step.scale);
  put(line, "skipped", step.skipped);
  put(line, "found_inf", step.foundInf);
  put(line, "consecutive_skips", step.consecutiveSkips);
  put(line, "scale_at_floor", step.scaleAtFloor);
  put(line, "grad_norm", step.gradNorm);
  put(line, "lr", step.lr);
  put(line, "effective_step", step.effectiveStep);
  line["samples_per_s"] = step.samplesPerSecond;
  line["ms"] = step.milliseconds;
  writeLine(line.dump() + "\n");
}

void MetricsFile::writeEvaluation(uint64_t step, uint64_t epoch,
                                  std::optional<double> loss,
                                  std::optional<double> accuracy,
                                  uint64_t samples) {
  Json line;
  line["step"] = step;
  line["epoch"] = epoch;
  put(line, "eval_loss", loss);
  put(line, "eval_accuracy", accuracy);
  line["samples"] = samples;
  writeLine(line.dump() + "\n");
}
