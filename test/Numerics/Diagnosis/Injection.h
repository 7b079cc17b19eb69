// Programs for diagnosis in which each op can be made to overflow.
#ifndef MPC_TEST_NUMERICS_DIAGNOSIS_INJECTION_H
#define MPC_TEST_NUMERICS_DIAGNOSIS_INJECTION_H

#include "mpc/Pipelines/Pipelines.h"
#include "mpc/Support/Status.h"

namespace mpc::test {

/// One result of an op, and the input that makes it overflow: the scalar is
/// added to it twice in f32, at the op's own location. 0 changes nothing, the
/// largest f32 makes the second sum infinite.
struct InjectionSite {
  std::string input, op, location;
  bool isBackward;
};

/// Compiles the entry `probe` of the model at `path`, with a site for each
/// float result of its step, and writes it to `output`. A failure has the
/// diagnostics as message.
Result<std::vector<InjectionSite>>
writeInjectedProbe(const std::string &path, PipelineOptions options,
                   const std::string &output);

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_DIAGNOSIS_INJECTION_H
