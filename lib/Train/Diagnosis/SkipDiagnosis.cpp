#include "SkipDiagnosis.h"

#include "mpc/Train/Format.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace mpc::train;

/// Lines of the table: what a terminal shows at once.
constexpr size_t kLines = 24;

static bool hasBadLoss(const StepMetrics &step) {
  return step.nonFiniteLoss.value_or(false);
}

static std::string atFloor(const StepMetrics &step) {
  return "the loss scale is at its floor" +
         (step.scale ? " of " + formatScale(*step.scale) : "") +
         " and gradients still overflow";
}

void SkipDiagnosis::note(const StepMetrics &step) {
  if (!reason.empty())
    return; // a step that was under way when training was told to stop
  if (step.nonFiniteGrad.value_or(false))
    reason = "the norm of the gradients of step " + std::to_string(step.step) +
             " is not finite (clip-nonfinite=error); the step changed nothing";
  if (!step.wasSkipped()) {
    skips = 0;
    last.clear();
    return;
  }
  ++skips;
  last.push_back(step);
  if (last.size() > kLines)
    last.pop_front();
  bool isAtFloor = step.scaleAtFloor.value_or(false);
  if (isAtFloor && rules.atFloor == AtFloor::Warn && !hasWarned) {
    hasWarned = true;
    warning = "step " + std::to_string(step.step) + ": " + atFloor(step);
  }
  if (isAtFloor && rules.atFloor == AtFloor::Error)
    reason = atFloor(step) + " (scale-on-floor=error)";
  else if (rules.maxSkips && skips >= rules.maxSkips)
    reason =
        std::to_string(skips) + " steps in a row were skipped (--max-skips)";
}

std::string SkipDiagnosis::takeWarning() { return std::exchange(warning, ""); }

/// Right-aligned, two spaces in front.
static std::string column(const std::string &text, size_t width) {
  return std::string(2 + (width > text.size() ? width - text.size() : 0), ' ') +
         text;
}

static std::string number(std::optional<double> value) {
  if (!value)
    return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", *value);
  return text;
}

std::string SkipDiagnosis::history() const {
  std::string text = column("step", 8) + column("try", 4) +
                     column("scale", 12) + column("loss", 12) +
                     column("gradient", 12) + "\n";
  for (const StepMetrics &step : last)
    text += column(std::to_string(step.step), 8) +
            column(std::to_string(step.retry.value_or(0) + 1), 4) +
            column(step.scale ? formatScale(*step.scale) : "-", 12) +
            column(number(step.loss), 12) + column(number(step.gradNorm), 12) +
            "\n";
  return text;
}

/// The loss was finite: the backward made what is not.
std::string SkipDiagnosis::explainGradients() const {
  std::optional<double> first = last.front().scale, newest = last.back().scale;
  std::string text =
      "the loss was finite in all of these runs: only gradients were not.\n";
  if (rules.isScaleStatic)
    return text + "The loss scale is static" +
           (newest ? " (" + formatScale(*newest) + ")" : "") +
           ", so it cannot shrink: set a smaller one (--scale), or compile "
           "with a dynamic one (--loss-scale=dynamic).";
  if (first && newest && *newest < *first)
    text += "The loss scale fell from " + formatScale(*first) + " to " +
            formatScale(*newest) + ". ";
  if (newest && *newest <= 1)
    return text +
           "At a scale this small the scale is not the cause: the backward "
           "divides by zero or takes a root or logarithm at zero, or a "
           "parameter is not finite. Keep that op away from zero (an epsilon), "
           "or compile with --precision=bf16.";
  return text +
         "If it was set too high, begin with a smaller one (--scale, or "
         "--scale-init when compiling) or allow more skips (--max-skips).";
}

std::string SkipDiagnosis::explainCause() const {
  auto bad = static_cast<size_t>(std::ranges::count_if(last, hasBadLoss));
  if (bad == 0)
    return explainGradients();
  return "the loss itself was not finite in " + std::to_string(bad) + " of " +
         std::to_string(last.size()) +
         " runs: the forward overflows, and no loss scale changes that.\n"
         "Look at the data, for labels out of range and at the learning rate; "
         "if it is the range of f16 (65504), compile with --precision=bf16 or "
         "keep the op that overflows in f32 (--policy).";
}

std::string SkipDiagnosis::describe(const std::string &firstValues) const {
  std::string text = reason;
  if (!last.empty())
    text += "\n" + history() + explainCause();
  return firstValues.empty() ? text : text + "\n" + firstValues;
}
