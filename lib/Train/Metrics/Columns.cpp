#include "Columns.h"

#include "mpc/Program/Names.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;
using Json = nlohmann::ordered_json; // writes null for what is not finite

//===-- The table ---------------------------------------------------------===//

namespace {

template <typename Metrics> struct Column {
  std::string_view name;
  void (*write)(Json &line, std::string_view name, const Metrics &metrics);
  /// The output of the step that it holds; "" if none.
  std::string_view output = {};
};

template <auto Member> struct Field;
template <typename Metrics, typename Value, Value Metrics::*Member>
struct Field<Member> {
  static void write(Json &line, std::string_view name, const Metrics &metrics) {
    const Value &value = metrics.*Member;
    if constexpr (requires { value.has_value(); }) {
      if (value)
        line[std::string(name)] = *value;
    } else {
      line[std::string(name)] = value;
    }
  }
};
template <auto Member> constexpr auto field = &Field<Member>::write;

using Step = StepMetrics;
constexpr Column<Step> kStepColumns[] = {
    {"step", field<&Step::step>},
    {"epoch", field<&Step::epoch>},
    {"retry", field<&Step::retry>},
    {"loss", field<&Step::loss>, "loss"},
    {"nonfinite_loss", field<&Step::nonFiniteLoss>},
    {"scale", field<&Step::scale>, "scale"},
    {"skipped", field<&Step::skipped>},
    {"found_inf", field<&Step::foundInf>, "found_inf"},
    {"consecutive_skips", field<&Step::consecutiveSkips>, "consecutive_skips"},
    {"scale_at_floor", field<&Step::scaleAtFloor>, "scale_at_floor"},
    {"grad_norm", field<&Step::gradNorm>, "grad_norm"},
    {"nonfinite_grad", field<&Step::nonFiniteGrad>, "nonfinite_grad"},
    {"lr", field<&Step::lr>, "lr"},
    {"effective_step", field<&Step::effectiveStep>, "step"},
    {"samples_per_s", field<&Step::samplesPerSecond>},
    {"ms", field<&Step::milliseconds>},
};

using Evaluated = EvaluationMetrics;
constexpr Column<Evaluated> kEvaluationColumns[] = {
    {"step", field<&Evaluated::step>},
    {"epoch", field<&Evaluated::epoch>},
    {"eval_loss", field<&Evaluated::loss>},
    {"eval_accuracy", field<&Evaluated::accuracy>},
    {"samples", field<&Evaluated::samples>},
};

constexpr bool isInColumn(std::string_view output) {
  return std::ranges::count(kStepColumns, output, &Column<Step>::output) == 1;
}
static_assert(std::ranges::all_of(program::kStepOutputs, isInColumn),
              "each output of the step's own has one column");

} // namespace

//===-- Names -------------------------------------------------------------===//

static bool isColumn(std::string_view name) {
  return std::ranges::count(kStepColumns, name, &Column<Step>::name) ||
         std::ranges::count(kEvaluationColumns, name, &Column<Evaluated>::name);
}

/// In front of what is the model's and reads like ours. ("output.lr" is of a
/// group that is called so: no model has an output "lr".)
static constexpr std::string_view kModels = "output.";

std::optional<std::string_view> mpc::train::groupOf(std::string_view column,
                                                    std::string_view what) {
  if (column.size() < what.size() + 2 || !column.ends_with(what))
    return std::nullopt;
  column.remove_suffix(what.size());
  if (column.back() != '.' ||
      (column.starts_with(kModels) && column != kModels))
    return std::nullopt;
  for (std::string_view word : program::kOutputWords)
    if (column.starts_with(word) && column[word.size()] == '.')
      return std::nullopt;
  column.remove_suffix(1);
  return column;
}

/// Whether it reads like an output of a group that the program does not have.
static bool readsLikeGroup(std::string_view name,
                           const std::vector<std::string> &groups) {
  return std::ranges::any_of(
      program::kGroupOutputs, [&](std::string_view what) {
        std::optional<std::string_view> group = groupOf(name, what);
        return group && !std::ranges::count(groups, *group);
      });
}

//===-- Lines -------------------------------------------------------------===//

template <typename Metrics, size_t N>
static Json fill(const Column<Metrics> (&columns)[N], const Metrics &metrics) {
  Json line;
  for (const Column<Metrics> &column : columns)
    column.write(line, column.name, metrics);
  return line;
}

Json mpc::train::makeLine(const StepMetrics &step,
                          const std::vector<std::string> &groups) {
  Json line = fill(kStepColumns, step);
  for (const NamedScalar &scalar : step.scalars) {
    if (std::ranges::count(program::kStepOutputs, scalar.name))
      continue; // in a column of ours
    std::string name = scalar.name;
    if (readsLikeGroup(name, groups))
      name = std::string(kModels) + name;
    while (isColumn(name) || line.contains(name))
      name = std::string(kModels) + name;
    std::visit([&](auto value) { line[name] = value; }, scalar.value);
  }
  return line;
}

Json mpc::train::makeLine(const EvaluationMetrics &evaluation) {
  return fill(kEvaluationColumns, evaluation);
}
