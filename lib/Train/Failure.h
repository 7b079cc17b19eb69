// How a function of this library ends early: thrown anywhere in it, caught at
// its border, by guard(), which makes a Status of it. The libraries below
// return values instead; require() and its kin turn them into this.
#ifndef MPC_LIB_TRAIN_FAILURE_H
#define MPC_LIB_TRAIN_FAILURE_H

#include "mpc-c/Status.hpp"
#include "mpc/Support/Status.h"
#include "mpc/Train/Status.h"

#include <stdexcept>

namespace mpc::train {

struct Failure : std::runtime_error {
  Failure(Fault fault, const std::string &message)
      : std::runtime_error(message), fault(fault) {}
  Fault fault;
};

inline Failure badOptions(const std::string &message) {
  return Failure(Fault::Options, message);
}
inline Failure badInput(const std::string &message) {
  return Failure(Fault::Input, message);
}

/// The value of a read, which fails because of what is in the file.
template <typename T> T requireInput(Result<T> result) {
  if (!result)
    throw Failure(result.status().code() == StatusCode::OutOfMemory
                      ? Fault::System
                      : Fault::Input,
                  result.status().message());
  return std::move(*result);
}
/// A write fails because of the system.
inline void requireWritten(const mpc::Status &status) {
  if (!status.ok())
    throw Failure(Fault::System, status.message());
}
/// So does the runtime, once a program was read.
inline void require(const rt::Status &status) {
  if (!status)
    throw Failure(Fault::System, status.message());
}
template <typename T> T require(rt::Expected<T> result) {
  require(result.status());
  return std::move(*result);
}

/// What is being handled, as a Failure: for a catch of anything that goes on
/// after it.
Failure currentFailure();
/// The same for the border.
Status currentStatus();

/// What `body` returns; or what it throws, a Failure or anything else.
template <typename Body>
auto guard(const Body &body) -> Expected<decltype(body())> {
  try {
    return body();
  } catch (...) {
    return currentStatus();
  }
}

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_FAILURE_H
