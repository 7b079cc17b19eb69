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

static Result<double> rateOfProducts(mpc_type type, auto &&threads) {
  if (!isType(type))
    return Status(StatusCode::InvalidArgument,
                  "expected a type, but got " + std::to_string(type));
  return runtime::measureProductRate(static_cast<DType>(type), threads);
}

static mpc_code rateOfProducts(mpc_type type, uint32_t threads,
                               double *flopsPerSecond, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!flopsPerSecond)
      return nullArgument("a place for the rate");
    return handOut(rateOfProducts(type, threads), flopsPerSecond);
  });
}

/// The threads of a session, handed to `measure`.
static mpc_code rateOfSession(mpc_session *session, double *rate,
                              mpc_status *status, auto &&measure) {
  return guard(status, [&]() -> Status {
    if (!session)
      return nullArgument("a session");
    if (!rate)
      return nullArgument("a place for the rate");
    runtime::ThreadPool *pool = session->session->pool();
    if (!pool)
      return {StatusCode::InvalidArgument,
              "expected a session of target 'cpu', whose threads could be "
              "measured, but a device runs this one"};
    return handOut(measure(*pool), rate);
  });
}

static mpc_code rateOfSessionCopies(mpc_session *session,
                                    double *bytesPerSecond,
                                    mpc_status *status) {
  return rateOfSession(
      session, bytesPerSecond, status,
      [](runtime::ThreadPool &pool) { return runtime::measureCopyRate(pool); });
}

static mpc_code rateOfSessionProducts(mpc_session *session, mpc_type type,
                                      double *flopsPerSecond,
                                      mpc_status *status) {
  return rateOfSession(
      session, flopsPerSecond, status,
      [&](runtime::ThreadPool &pool) { return rateOfProducts(type, pool); });
}

void capi::addRates(mpc_api &api) {
  api.measure_copy_rate = rateOfCopies;
  api.measure_product_rate = rateOfProducts;
  api.session_copy_rate = rateOfSessionCopies;
  api.session_product_rate = rateOfSessionProducts;
}
