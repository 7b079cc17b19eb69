#include "InstructionSets.h"
#include "mpc/Program/InstructionSets.h"
#include "mpc/Runtime/Program.h"

#include <sys/syscall.h>
#include <unistd.h>

using namespace mpc::runtime;
using namespace mpc::runtime::attention;

/// Once a process has been given tiles it keeps them, and so do its threads. An
/// older Linux has none, and one where a thread handles signals on a stack that
/// is too small for them gives none.
static bool requestTiles() {
  constexpr long request = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, request, tileData) == 0;
}

static bool hasTiles() {
  static const bool has = __builtin_cpu_supports("amx-tile") &&
                          __builtin_cpu_supports("amx-bf16") && requestTiles();
  return has;
}

std::vector<InstructionSet> attention::findInstructionSets(Element type) {
  std::vector<InstructionSet> found = {{program::kV3, &kHeadsV3}};
  if (!canRun(program::kV4))
    return found;
  found.push_back({program::kV4, &kHeadsV4});
  if (type != Element::BF16 || !canRun(program::kV4WithBFloat))
    return found;
  found.push_back({"avx512bf16", &kHeadsV4Bf16});
  if (hasTiles())
    found.push_back({"amx-bf16", &kHeadsV4Amx});
  return found;
}
