// A summary as text: a line for people, JSON for programs.
#include "../Failure.h"
#include "Tally.h"

#include "mpc/Train/Format.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::train;

/// "12.30 ms", "1.23 s".
static std::string formatTime(double seconds) {
  char text[64];
  bool isShort = seconds < 1;
  std::snprintf(text, sizeof(text), "%.2f %s",
                isShort ? seconds * 1e3 : seconds, isShort ? "ms" : "s");
  return text;
}

std::string mpc::train::describe(const Summary &summary) {
  char text[256];
  std::snprintf(text, sizeof(text),
                "trained %llu steps in %s (wall time %s with loading and "
                "saving), median %.3f ms/step, %s samples/s",
                static_cast<unsigned long long>(summary.stepsHere),
                formatTime(summary.seconds).c_str(),
                formatTime(summary.wallSeconds).c_str(), summary.msPerStep,
                formatRate(summary.samplesPerSecond).c_str());
  std::string line = text;
  if (summary.loss)
    line += ", loss of the last epoch " + formatLoss(*summary.loss);
  if (summary.nonFiniteLosses)
    line += ", loss not finite in " + std::to_string(summary.nonFiniteLosses);
  if (summary.skipped)
    line += ", skipped " + std::to_string(*summary.skipped);
  if (summary.retries)
    line += ", retried " + std::to_string(summary.retries);
  if (summary.scale)
    line += ", scale " + formatScale(*summary.scale);
  return line + ", memory " + formatBytes(summary.usedBytes) + " of " +
         formatBytes(summary.plannedBytes) + " planned";
}

std::string mpc::train::describeBadLoss(const StepMetrics &step) {
  std::string text =
      "the loss of step " + std::to_string(step.step) + " is not finite, ";
  if (step.wasSkipped())
    return text + "before the loss scale touches it, and the step was skipped: "
                  "no scale cures that. Look for NaN in the data; "
                  "'--on-overflow=explain' names the op";
  return text + "and the step was taken: " +
         (step.foundInf ? "its gradients are finite"
                        : "this program checks no gradients (--loss-scale "
                          "makes one that does)") +
         ". Look for labels out of range and for values that overflow";
}

void mpc::train::writeSummary(const Summary &summary, data::OutputFile file) {
  nlohmann::ordered_json object;
  auto put = [&](const char *key, auto value) {
    if (value)
      object[key] = *value;
  };
  object["steps"] = summary.steps;
  put("skipped", summary.skipped);
  object["retries"] = summary.retries;
  if (summary.loss) {
    object["loss"] = *summary.loss; // null where it is not finite
    object["nonfinite_loss"] = !std::isfinite(*summary.loss);
  }
  object["nonfinite_losses"] = summary.nonFiniteLosses;
  put("scale", summary.scale);
  put("eval_loss", summary.evalLoss);
  put("eval_accuracy", summary.evalAccuracy);
  object["ms_per_step"] = summary.msPerStep;
  object["seconds"] = summary.seconds;
  object["save_seconds"] = summary.saveSeconds;
  object["wall_seconds"] = summary.wallSeconds;
  object["samples_per_s"] = summary.samplesPerSecond;
  object["synchronizations_in_steps"] = summary.synchronizations;
  object["waits_in_steps"] = summary.waits;
  object["planned_bytes"] = summary.plannedBytes;
  object["used_bytes"] = summary.usedBytes;
  put("checkpoint_copy_bytes", summary.copyBytes);
  std::string text = object.dump(2) + "\n";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  requireWritten(data::writeFile(std::move(file), parts));
}
