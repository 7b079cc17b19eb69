// The states of a session as numbers: copied, set, compared, hashed.
#ifndef MPC_TEST_GPU_STATES_H
#define MPC_TEST_GPU_STATES_H

#include "mpc-c/Runtime.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::test {

struct StateBytes {
  mpc_state_info info;
  std::vector<unsigned char> bytes;

  std::vector<double> toDoubles() const;
};

/// All states of `session`, in the program's order.
rt::Expected<std::vector<StateBytes>> readStates(const rt::Program &program,
                                                 const rt::Session &session);
/// Gives `session` the values of `states` (of a program with the same states)
/// and derives the rest.
rt::Status writeStates(rt::Session &session,
                       const std::vector<StateBytes> &states);

/// |a - b| / |b| in the 2-norm; equal infinities and NaNs count as equal.
double relativeDistance(const std::vector<double> &a,
                        const std::vector<double> &b);

/// FNV-1a over all bytes.
uint64_t hashStates(const std::vector<StateBytes> &states);

} // namespace mpc::test

#endif // MPC_TEST_GPU_STATES_H
