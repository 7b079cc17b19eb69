#include "Progress.h"

#include <cmath>
#include <cstdarg>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace mpc::run;

__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char text[128];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof(text), pattern, values);
  va_end(values);
  return text;
}

//===-- Numbers -----------------------------------------------------------===//

std::string mpc::run::formatSeconds(double seconds) {
  long long whole = std::llround(std::max(seconds, 0.0));
  if (whole >= 3600)
    return format("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  return format("%lld:%02lld", whole / 60, whole % 60);
}

std::string mpc::run::formatRate(double perSecond) {
  if (perSecond >= 1e6)
    return format("%.2fM", perSecond / 1e6);
  if (perSecond >= 1e3)
    return format("%.1fk", perSecond / 1e3);
  return format("%.0f", perSecond);
}

std::string mpc::run::formatLoss(double loss, int decimals) {
  if (std::isnan(loss))
    return "nan"; // its sign says nothing
  double size = std::fabs(loss);
  bool isPlain = size == 0 || (size >= 1e-3 && size < 1e6);
  return isPlain ? format("%.*f", decimals, loss)
                 : format("%.*g", decimals + 1, loss);
}

std::string mpc::run::formatPercent(double share) {
  return format("%.2f %%", share * 100);
}

std::string mpc::run::formatScale(double scale) {
  int exponent = 0;
  if (scale > 0 && std::isfinite(scale) && std::frexp(scale, &exponent) == 0.5)
    return "2^" + std::to_string(exponent - 1);
  return format("%g", scale);
}

std::string mpc::run::formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  if (bytes < 1024UL * 1024)
    return format("%.1f KiB", static_cast<double>(bytes) / 1024);
  return format("%.1f MiB", static_cast<double>(bytes) / (1024 * 1024));
}

//===-- The line ----------------------------------------------------------===//

Progress::Progress(ProgressPlan plan)
    : plan(plan), isTerminal(isatty(STDOUT_FILENO) == 1), begin(Clock::now()) {}

Progress::~Progress() { finish(); }

static std::string
joinWithin(const std::vector<std::pair<int, std::string>> &parts,
           size_t width) {
  std::string text;
  for (int dropped = 0; dropped <= 4; ++dropped) {
    text.clear();
    for (const auto &[priority, part] : parts)
      if (priority == 0 || priority > dropped)
        text += (text.empty() ? "" : "  ") + part;
    if (text.size() <= width)
      break;
  }
  return text.substr(0, width);
}

std::string Progress::describe(const StepMetrics &step, size_t width) const {
  // Rates are means over the run; those of single steps jump.
  std::chrono::duration<double> spent = Clock::now() - begin;
  auto done = static_cast<double>(step.step - plan.firstStep);
  auto left = static_cast<double>(plan.lastStep - step.step);
  double rate = done * static_cast<double>(plan.batchSize) / spent.count();
  uint64_t epochs =
      (plan.lastStep + plan.stepsPerEpoch - 1) / plan.stepsPerEpoch;

  // In the order of the line; the number says which part goes first where the
  // line is too narrow, 0 never.
  std::vector<std::pair<int, std::string>> parts = {
      {0, "step " + std::to_string(step.step) + "/" +
              std::to_string(plan.lastStep)},
      {1,
       "epoch " + std::to_string(step.epoch) + "/" + std::to_string(epochs)}};
  if (step.loss)
    parts.emplace_back(0, "loss " + formatLoss(*step.loss));
  if (step.scale)
    parts.emplace_back(0, "scale " + formatScale(*step.scale));
  if (step.skipped)
    parts.emplace_back(4, "skipped " + std::to_string(*step.skipped));
  if (step.consecutiveSkips.value_or(0) > 1)
    parts.emplace_back(0, std::to_string(*step.consecutiveSkips) + " in a row");
  if (step.gradNorm)
    parts.emplace_back(2, format("gradient %.3g", *step.gradNorm));
  parts.emplace_back(3, formatRate(rate) + " samples/s");
  if (left > 0)
    parts.emplace_back(0, "ETA " + formatSeconds(spent.count() / done * left));
  return joinWithin(parts, width);
}

size_t mpc::run::terminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20)
    return 80;
  return size.ws_col;
}

bool Progress::wantsPlainLine(uint64_t step) const {
  if (plan.logEvery)
    return step % plan.logEvery == 0;
  if (isTerminal || step == plan.lastStep)
    return !isTerminal;
  uint64_t stride = plan.lastStep / plan.stepsPerEpoch / 20 + 1;
  return step % (plan.stepsPerEpoch * stride) == 0;
}

void Progress::show(const StepMetrics &step) {
  bool isLast = step.step == plan.lastStep;
  if (wantsPlainLine(step.step))
    print(describe(step, SIZE_MAX));
  auto now = Clock::now();
  if (!isTerminal ||
      (!isLast && now - lastShown < std::chrono::milliseconds(100)))
    return;
  lastShown = now;
  std::string line = describe(step, terminalWidth() - 1);
  std::printf("\r%s\x1b[K", line.c_str());
  std::fflush(stdout);
  isLineOpen = true;
}

void Progress::print(const std::string &line) {
  std::printf("%s%s\n", isLineOpen ? "\r\x1b[K" : "", line.c_str());
  std::fflush(stdout);
  isLineOpen = false;
}

void Progress::finish() {
  if (isLineOpen)
    std::printf("\n");
  isLineOpen = false;
}
