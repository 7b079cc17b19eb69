// All that a program file says, as JSON.
#ifndef MPC_TOOLS_MPC_RUN_PROGRAMFACTS_H
#define MPC_TOOLS_MPC_RUN_PROGRAMFACTS_H

#include "mpc-c/Runtime.hpp"

#include <nlohmann/json.hpp>

namespace mpc::run {

nlohmann::ordered_json gatherFacts(const rt::Program &program);
const char *roleName(mpc_role role);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PROGRAMFACTS_H
