// The columns of metrics, as the writer of the lines knows them.
#ifndef MPC_LIB_TRAIN_METRICS_COLUMNS_H
#define MPC_LIB_TRAIN_METRICS_COLUMNS_H

#include "mpc/Train/Metrics.h"

#include <nlohmann/json.hpp>

namespace mpc::train {

/// What a program does not have is missing; a number that is not finite is
/// null. `groups`: the program's parameter groups, whose outputs keep their
/// names; an output of the model that reads like one of these, or like a column
/// of ours, stands after "output.".
nlohmann::ordered_json makeLine(const StepMetrics &step,
                                const std::vector<std::string> &groups);
nlohmann::ordered_json makeLine(const EvaluationMetrics &evaluation);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_METRICS_COLUMNS_H
