// All that a program file says, as JSON.
#ifndef MPC_TOOLS_MPC_RUN_PROGRAMFACTS_H
#define MPC_TOOLS_MPC_RUN_PROGRAMFACTS_H

#include "Model.h"

#include <nlohmann/json.hpp>

namespace mpc::run {

nlohmann::ordered_json gatherFacts(const Program &program);
const char *roleName(mpc_role role);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PROGRAMFACTS_H
