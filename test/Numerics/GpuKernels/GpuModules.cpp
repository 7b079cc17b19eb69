#include "GpuKernelModule.h"
#include "TestedModules.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mpc::test;

std::vector<std::string> mpc::test::getTestedTargets() { return {"sm_90"}; }

std::string mpc::test::getSmallTarget() { return "sm_90:1"; }

std::unique_ptr<GroupedModule>
mpc::test::compileForTest(const std::string &text, const std::string &target) {
  return std::make_unique<GpuKernelModule>(text, target);
}

std::vector<RunOptions> mpc::test::getVariants() {
  return {{.seed = 2}, {.inPlace = true, .seed = 3}};
}

double mpc::test::getSumDepth(int64_t terms) {
  return 200 + 4 * std::log2(double(terms));
}
