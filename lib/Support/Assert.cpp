#include "mpc/Support/Assert.h"
#ifdef MPC_ENABLE_ASSERTS
#include <cstdio>
#include <cstdlib>

void mpc::failAssertion(const char *condition, const char *why,
                        const char *file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s (%s)\n", file, line,
               condition, why);
  std::abort();
}
#endif
