#include "Predictions.h"

#include "../Failure.h"

#include <algorithm>
#include <cstdio>

using namespace mpc;
using namespace mpc::train;

/// What library call number `call` multiplies: the type of its first operand.
static mpc_type typeOfCall(const rt::Program &program, uint32_t call) {
  MPC_STRUCT(mpc_operand_info, operand);
  rt::api().program_operand(program.get(), call, 0, &operand);
  return operand.type;
}

MachineRates MachineRates::get(const TrainOptions &options,
                               const rt::Program &program,
                               rt::Session &session) {
  constexpr double nano = 1e-9;
  MachineRates rates;
  rates.threads = session.threads();
  rates.isCopyGiven = options.copyRate.has_value();
  rates.isProductGiven = options.productRate.has_value();
  rates.copy = rates.isCopyGiven ? *options.copyRate
                                 : require(session.copyRate()) * nano;
  for (uint32_t call = 0; call < program.info().num_calls; ++call) {
    mpc_type type = typeOfCall(program, call);
    if (rates.product.count(type) == 0)
      rates.product[type] = rates.isProductGiven
                                ? *options.productRate
                                : require(session.productRate(type)) * nano;
  }
  return rates;
}

std::string MachineRates::describe() const {
  auto number = [](double rate, const char *unit) {
    char text[64];
    std::snprintf(text, sizeof text, "%.1f %s", rate, unit);
    return std::string(text);
  };
  std::string text = "a copy moves " + number(copy, "GB/s");
  if (isCopyGiven)
    text += " (given)";
  for (auto [type, rate] : product)
    text += std::string(", a product in ") + rt::api().type_name(type) +
            " does " + number(rate, "GFLOP/s");
  if (isProductGiven && !product.empty())
    text += " (given)";
  if (!isCopyGiven || (!isProductGiven && !product.empty()))
    text += "; measured at the start, with " + std::to_string(threads) +
            (threads == 1 ? " thread" : " threads");
  return text;
}

Predictions mpc::train::predict(const MachineRates &rates,
                                const rt::Program &program,
                                const RecordList &records) {
  Predictions all;
  for (const std::vector<mpc_record_info> &entry : records) {
    all.emplace_back();
    for (const mpc_record_info &record : entry) {
      double time =
          static_cast<double>(record.bytes_read + record.bytes_written) /
          rates.copy;
      if (record.flops > 0) // of library calls alone
        time = std::max(time, record.flops / rates.product.at(typeOfCall(
                                                 program, record.target)));
      all.back().push_back(time);
    }
  }
  return all;
}
