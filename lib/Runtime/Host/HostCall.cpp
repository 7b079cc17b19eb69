#include "mpc/Runtime/HostCall.h"
#include "Calls/MakeCall.h"

using namespace mpc;
using namespace mpc::runtime;

Result<std::unique_ptr<HostCall>>
runtime::makeHostCall(const program::Call &call, uint32_t workers) {
  return program::visitOptions(call, [&](const auto &options) {
    return makeCall(options, call, workers);
  });
}
