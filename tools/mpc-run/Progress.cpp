#include "Progress.h"

#include "Interrupt.h"
#include "Print.h"

#include "mpc/Train/Format.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace mpc;
using namespace mpc::run;
using Clock = std::chrono::steady_clock;

/// Open MPI has a terminal of its own for each rank, also where what it passes
/// on goes to a file.
static bool hasTerminal() {
  return isatty(STDOUT_FILENO) == 1 && !std::getenv("OMPI_COMM_WORLD_RANK");
}

Progress::Progress(uint64_t logEvery, bool evaluatesSteps)
    : logEvery(logEvery), evaluatesSteps(evaluatesSteps),
      isTerminal(hasTerminal()), begin(Clock::now()) {}

Progress::~Progress() { onTrained(); }

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

static std::string describeGradient(double norm) {
  char text[64];
  std::snprintf(text, sizeof(text), "gradient %.3g", norm);
  return text;
}

std::string Progress::describe(const train::StepMetrics &step,
                               size_t width) const {
  // Rates are means over the run; those of single steps jump.
  std::chrono::duration<double> spent = Clock::now() - begin;
  auto done = static_cast<double>(step.step - plan.firstStep);
  auto left = static_cast<double>(plan.lastStep - step.step);
  double rate = done * static_cast<double>(plan.samplesPerStep) / spent.count();
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
    parts.emplace_back(0, "loss " + train::formatLoss(*step.loss));
  if (step.scale)
    parts.emplace_back(0, "scale " + train::formatScale(*step.scale));
  if (step.skipped)
    parts.emplace_back(4, "skipped " + std::to_string(*step.skipped));
  if (step.consecutiveSkips.value_or(0) > 1)
    parts.emplace_back(0, std::to_string(*step.consecutiveSkips) + " in a row");
  if (step.gradNorm)
    parts.emplace_back(2, describeGradient(*step.gradNorm));
  parts.emplace_back(3, train::formatRate(rate) + " samples/s");
  if (left > 0)
    parts.emplace_back(
        0, "ETA " + train::formatSeconds(spent.count() / done * left));
  return joinWithin(parts, width);
}

size_t mpc::run::terminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20)
    return 80;
  return size.ws_col;
}

bool Progress::wantsPlainLine(uint64_t step) const {
  if (logEvery)
    return step % logEvery == 0;
  if (isTerminal || step == plan.lastStep)
    return !isTerminal;
  uint64_t stride = plan.lastStep / plan.stepsPerEpoch / 20 + 1;
  return step % (plan.stepsPerEpoch * stride) == 0;
}

void Progress::onStep(const train::StepMetrics &step) {
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
  if (isLineOpen)
    std::fputs("\r\x1b[K", stdout);
  printLines(stdout, line + "\n");
  std::fflush(stdout);
  isLineOpen = false;
}

void Progress::onTrained() {
  if (isLineOpen)
    std::printf("\n");
  isLineOpen = false;
}

//===-- Lines that stay ---------------------------------------------------===//

void Progress::onGuarded() { watchInterrupts(); }

void Progress::onBegin(const train::RunPlan &run) {
  plan = run;
  begin = Clock::now();
}

void Progress::onEvaluation(const train::EvaluationMetrics &found) {
  std::string loss = found.loss ? train::formatLoss(*found.loss) : "none";
  std::string step =
      evaluatesSteps ? "step " + std::to_string(found.step) + ", " : "";
  print(step + "epoch " + std::to_string(found.epoch) + ": test loss " + loss +
        (found.accuracy ? ", accuracy " + train::formatPercent(*found.accuracy)
                        : ""));
}

void Progress::onSummary(const train::Summary &summary) {
  print(train::describe(summary));
}

void Progress::onNote(const std::string &text) { print(text); }

void Progress::onWarning(const std::string &text) { print("warning: " + text); }
