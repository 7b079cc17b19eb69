// How the tool ends early: thrown anywhere in it, caught once, by guard(). The
// libraries below return values instead; require() and its kin turn them into
// this.
#ifndef MPC_TOOLS_MPC_RUN_FAILURE_H
#define MPC_TOOLS_MPC_RUN_FAILURE_H

#include "mpc/CommandLine/Exit.h"
#include "mpc/Support/Status.h"
#include "mpc/Train/Status.h"

#include <functional>
#include <stdexcept>
#include <string>

namespace mpc::run {

using cli::Exit;

struct Failure : std::runtime_error {
  Failure(Exit code, const std::string &message)
      : std::runtime_error(message), code(code) {}
  /// What the training library says.
  explicit Failure(const train::Status &status);
  Exit code;
};

inline Failure usageError(const std::string &message) {
  return Failure(Exit::Usage, message);
}
inline Failure badInput(const std::string &message) {
  return Failure(Exit::BadInput, message);
}
inline Failure noOutput() {
  return Failure(Exit::Failed, "standard output cannot be written");
}

/// The value of a read, which fails because of what is in the file.
template <typename T> T requireInput(Result<T> result) {
  if (!result)
    throw Failure(result.status().code() == StatusCode::OutOfMemory
                      ? Exit::Failed
                      : Exit::BadInput,
                  result.status().message());
  return std::move(*result);
}
/// A write fails because of the system.
inline void requireWritten(const Status &status) {
  if (!status.ok())
    throw Failure(Exit::Failed, status.message());
}

/// The value of a function of the training library.
template <typename T> T require(train::Expected<T> result) {
  if (!result)
    throw Failure(result.status());
  return std::move(*result);
}

/// The exit code of `body`. What it throws, a Failure or anything else, is told
/// to standard error, and has an exit code, too.
Exit guard(const std::function<Exit()> &body);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_FAILURE_H
