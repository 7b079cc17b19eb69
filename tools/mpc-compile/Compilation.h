// One compilation, from the model file to the program file.
#ifndef MPC_TOOLS_MPC_COMPILE_COMPILATION_H
#define MPC_TOOLS_MPC_COMPILE_COMPILATION_H

#include "Options.h"

namespace mpc::compile {

/// Compiles; all messages are on standard error, reports on standard output.
Exit run(const Options &options);

} // namespace mpc::compile

#endif // MPC_TOOLS_MPC_COMPILE_COMPILATION_H
