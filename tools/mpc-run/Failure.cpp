#include "Failure.h"

#include <cstdio>
#include <exception>
#include <new>

using namespace mpc::run;

static Exit report(Exit code, const char *message) {
  std::fflush(stdout);
  std::fprintf(stderr, "mpc-run: error: %s\n", message);
  return code;
}

Exit mpc::run::guard(const std::function<Exit()> &body) {
  try {
    return body();
  } catch (const Failure &failure) {
    return report(failure.code, failure.what());
  } catch (const std::bad_alloc &) {
    return report(Exit::Failed, "out of memory");
  } catch (const std::exception &other) {
    return report(Exit::Failed, other.what());
  }
}
