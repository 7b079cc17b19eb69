#include "KernelModule.h"
#include "TestedModules.h"
#include <cmath>

using namespace mpc::test;

std::vector<std::string> mpc::test::getTestedTargets() {
  return getMachineTargets();
}

std::string mpc::test::getSmallTarget() { return getMachineTargets().front(); }

std::unique_ptr<GroupedModule>
mpc::test::compileForTest(const std::string &text, const std::string &target) {
  return std::make_unique<KernelModule>(text, target);
}

std::vector<RunOptions> mpc::test::getVariants() {
  return {{.itemsPerCall = 1, .backwards = true},
          {.itemsPerCall = 3},
          {.inPlace = true},
          {.inPlace = true, .itemsPerCall = 2, .backwards = true}};
}

double mpc::test::getSumDepth(int64_t terms) {
  return 88 + 4 * std::log2(double(terms));
}
