// Which instruction sets this machine runs, by CPUID and XCR0 (the compiler's
// builtin asks both).
#include "mpc/Program/InstructionSets.h"
#include "mpc/Runtime/Program.h"

using namespace mpc;

// The builtin takes literals only.
#define MPC_NEED(feature)                                                      \
  if (!__builtin_cpu_supports(feature))                                        \
  lacking += lacking.empty() ? feature : " " feature

static std::string missingForV3() {
  std::string lacking;
  MPC_NEED("avx");
  MPC_NEED("avx2");
  MPC_NEED("bmi");
  MPC_NEED("bmi2");
  MPC_NEED("f16c");
  MPC_NEED("fma");
  MPC_NEED("lzcnt");
  MPC_NEED("movbe");
  return lacking;
}

static std::string missingForV4() {
  std::string lacking = missingForV3();
  MPC_NEED("avx512f");
  MPC_NEED("avx512bw");
  MPC_NEED("avx512cd");
  MPC_NEED("avx512dq");
  MPC_NEED("avx512vl");
  return lacking;
}

static std::string missingForV4WithBFloat() {
  std::string lacking = missingForV4();
  MPC_NEED("avx512bf16");
  return lacking;
}

bool runtime::canRun(std::string_view target, std::string *missing) {
  std::string lacking = target == program::kV3   ? missingForV3()
                        : target == program::kV4 ? missingForV4()
                        : target == program::kV4WithBFloat
                            ? missingForV4WithBFloat()
                            : "a processor of that kind";
  if (missing)
    *missing = lacking;
  return lacking.empty();
}
