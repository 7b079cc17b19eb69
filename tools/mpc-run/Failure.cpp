#include "Failure.h"

#include "Print.h"

#include <cstdio>
#include <exception>
#include <new>

using namespace mpc::run;

namespace {
struct Report {
  Exit code;
  const char *message; ///< of what is being handled
};
} // namespace

static Report describeCurrent() {
  try {
    throw;
  } catch (const Failure &failure) {
    return {failure.code, failure.what()};
  } catch (const std::bad_alloc &) {
    return {Exit::Failed, "out of memory"};
  } catch (const std::exception &other) {
    return {Exit::Failed, other.what()};
  }
}

static Exit exitOf(mpc::train::Fault fault) {
  switch (fault) {
  case mpc::train::Fault::None:
    return Exit::Ok;
  case mpc::train::Fault::Options:
    return Exit::Usage;
  case mpc::train::Fault::Input:
    return Exit::BadInput;
  case mpc::train::Fault::System:
    return Exit::Failed;
  case mpc::train::Fault::Busy:
    return Exit::Busy;
  case mpc::train::Fault::Interrupted:
    return Exit::Interrupted;
  }
  return Exit::Failed;
}

Failure::Failure(const train::Status &status)
    : Failure(exitOf(status.fault()), status.message()) {}

Exit mpc::run::guard(const std::function<Exit()> &body) {
  try {
    return body();
  } catch (const std::exception &) {
    Report report = describeCurrent();
    std::fflush(stdout);
    complain("error", report.message);
    return report.code;
  }
}
