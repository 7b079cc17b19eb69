// How the runtime tells people what it does. It never prints.
#ifndef MPC_RUNTIME_LOG_H
#define MPC_RUNTIME_LOG_H

#include <functional>
#include <string>

namespace mpc::runtime {

enum class LogLevel { Debug, Info, Warning };
/// Receives messages; empty: none are made.
using Log = std::function<void(LogLevel, const std::string &)>;

} // namespace mpc::runtime

#endif // MPC_RUNTIME_LOG_H
