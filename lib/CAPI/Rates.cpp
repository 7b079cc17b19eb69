// Rates of this machine through the C interface.
#include "Handles.h"
#include "mpc/Runtime/MachineRates.h"

using namespace mpc;
using namespace mpc::capi;

static Status handOut(Result<double> rate, double *place) {
  if (!rate)
    return rate.status();
  *place = *rate;
  return {};
}

static mpc_code rateOfCopies(uint32_t threads, double *bytesPerSecond,
                             mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!bytesPerSecond)
      return nullArgument("a place for the rate");
    return handOut(runtime::measureCopyRate(threads), bytesPerSecond);
  });
}

static mpc_code rateOfProducts(mpc_type type, uint32_t threads,
                               double *flopsPerSecond, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!flopsPerSecond)
      return nullArgument("a place for the rate");
    if (!isType(type))
      return {StatusCode::InvalidArgument,
              "expected a type, but got " + std::to_string(type)};
    return handOut(
        runtime::measureProductRate(static_cast<DType>(type), threads),
        flopsPerSecond);
  });
}

void capi::addRates(mpc_api &api) {
  api.measure_copy_rate = rateOfCopies;
  api.measure_product_rate = rateOfProducts;
}
