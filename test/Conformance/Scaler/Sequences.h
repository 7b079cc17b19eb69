// The proof that our scalers are those of other systems: both walk through
// every sequence of finite and overflowing steps.
#ifndef MPC_TEST_CONFORMANCE_SCALER_SEQUENCES_H
#define MPC_TEST_CONFORMANCE_SCALER_SEQUENCES_H

#include "OurScaler.h"
#include "Systems.h"

namespace mpc::conformance {

/// Compares scales bit by bit after every step of every sequence of at most
/// `length` steps, as gtest expectations. Stops at a system's first difference.
void compareAllSequences(const std::vector<System> &systems,
                         const StepPrograms &programs, const Executor &execute,
                         int length);

/// The settings of each system, for StepPrograms.
std::vector<std::string> settingsOf(const std::vector<System> &systems);

} // namespace mpc::conformance

#endif // MPC_TEST_CONFORMANCE_SCALER_SEQUENCES_H
