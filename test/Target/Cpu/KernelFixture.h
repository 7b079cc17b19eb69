// A test that compiles kernel functions and calls them.
#ifndef MPC_TEST_TARGET_CPU_KERNELFIXTURE_H
#define MPC_TEST_TARGET_CPU_KERNELFIXTURE_H

#include "KernelCode.h"

#include <gtest/gtest.h>

namespace mpc::target {

class KernelFixture : public ::testing::Test, protected KernelCode {};

} // namespace mpc::target

#endif // MPC_TEST_TARGET_CPU_KERNELFIXTURE_H
