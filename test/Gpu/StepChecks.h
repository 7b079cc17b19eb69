// Checks of a program, step by step: see compare-steps.cpp for what they are.
#ifndef MPC_TEST_GPU_STEPCHECKS_H
#define MPC_TEST_GPU_STEPCHECKS_H

#include <string>
#include <vector>

namespace mpc::test {

/// Also the exit codes of compare-steps.
enum CheckResult { Holds = 0, Failed = 1, WrongUsage = 2, NotRun = 3 };

/// Runs the check of `words`, its name and what it takes, and prints one line
/// of JSON if it came to its end; else `why` says why not. NotRun only where a
/// session finds no device, driver or library to run on: what fails later, or
/// for another reason, is Failed.
CheckResult runCheck(const std::vector<std::string> &words, std::string &why);

} // namespace mpc::test

#endif // MPC_TEST_GPU_STEPCHECKS_H
