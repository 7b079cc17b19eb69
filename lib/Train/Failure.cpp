#include "Failure.h"

#include "mpc/Ranks/Limits.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

using namespace mpc;
using namespace mpc::train;

namespace {
struct Report {
  Fault fault;
  std::string message; ///< of what is being handled
};
} // namespace

static Report describeCurrent() {
  try {
    throw;
  } catch (const Failure &failure) {
    std::string message = failure.what();
    return {failure.fault, message.ends_with(std::strerror(EMFILE))
                               ? message + ranks::noteFileLimit()
                               : message};
  } catch (const std::bad_alloc &) {
    return {Fault::System, "out of memory" + ranks::noteMemoryLimit(true)};
  } catch (const std::system_error &error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      return {Fault::System, error.what()};
    return {Fault::System,
            "no thread could be started: " + std::string(error.what()) +
                ranks::noteThreadLimit()};
  } catch (const std::exception &other) {
    return {Fault::System, other.what()};
  } catch (...) {
    return {Fault::System, "an exception that is none of the C++ library's"};
  }
}

Failure mpc::train::currentFailure() {
  Report report = describeCurrent();
  return Failure(report.fault, report.message);
}

mpc::train::Status mpc::train::currentStatus() {
  Report report = describeCurrent();
  return {report.fault, report.message};
}

Fault mpc::train::faultOfProgram(mpc_code code) {
  switch (code) {
  case MPC_OK:
    return Fault::None;
  case MPC_NOT_FOUND:
  case MPC_BAD_MAGIC:
  case MPC_TRUNCATED:
  case MPC_CHECKSUM_MISMATCH:
  case MPC_CORRUPT:
  case MPC_VERSION_TOO_NEW:
  case MPC_VERSION_TOO_OLD:
  case MPC_WRONG_TARGET:
  case MPC_INVALID_PROGRAM:
  case MPC_IO_ERROR:
    return Fault::Input;
  default:
    return Fault::System;
  }
}
