// Batches for a program's entries, from npy files, in file order.
#ifndef MPC_TEST_GPU_SAMPLES_H
#define MPC_TEST_GPU_SAMPLES_H

#include "mpc-c/Runtime.hpp"
#include "mpc/Data/Dataset.h"

#include <string>
#include <vector>

namespace mpc::test {

class Samples {
public:
  /// `files`: "name=path" per input of entry `step` of `program`.
  static Result<Samples> load(const rt::Program &program,
                              const std::vector<std::string> &files);
  /// Inputs of step `number`; valid until the next call.
  const std::vector<mpc_input> &batch(uint64_t number);

private:
  explicit Samples(data::Dataset dataset);

  data::Dataset dataset;
  data::Batch current;
  std::vector<uint64_t> order;
  std::vector<mpc_input> inputs;
};

} // namespace mpc::test

#endif // MPC_TEST_GPU_SAMPLES_H
