#include "Failure.h"

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

Failure mpc::run::currentFailure() {
  Report report = describeCurrent();
  return Failure(report.code, report.message);
}

Exit mpc::run::guard(const std::function<Exit()> &body) {
  try {
    return body();
  } catch (const std::exception &) {
    Report report = describeCurrent();
    std::fflush(stdout);
    std::fprintf(stderr, "mpc-run: error: %s\n", report.message);
    return report.code;
  }
}
