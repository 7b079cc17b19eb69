// The columns of metrics, as writers and readers of the lines know them.
#ifndef MPC_TOOLS_MPC_RUN_METRICS_COLUMNS_H
#define MPC_TOOLS_MPC_RUN_METRICS_COLUMNS_H

#include "Metrics.h"

#include <nlohmann/json.hpp>

namespace mpc::run {

/// What a program does not have is missing; a number that is not finite is
/// null. `groups`: the program's parameter groups, whose outputs keep their
/// names; an output of the model that reads like one of these, or like a column
/// of ours, stands after "output.".
nlohmann::ordered_json makeLine(const StepMetrics &step,
                                const std::vector<std::string> &groups);
nlohmann::ordered_json makeLine(const EvaluationMetrics &evaluation);

/// The parameter group of which a column tells `what` ("lr"): "biases" of
/// "biases.lr". Nothing of any other column.
std::optional<std::string_view> groupOf(std::string_view column,
                                        std::string_view what);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_METRICS_COLUMNS_H
