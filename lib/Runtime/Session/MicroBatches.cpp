// Micro-batches of a step: the mean over them is compiled into "step", so a
// step over more or fewer of them would train with another loss.
#include "SessionBody.h"
#include "mpc/Program/Names.h"
#include "mpc/Support/Number.h"

using namespace mpc;
using namespace mpc::runtime;

std::optional<uint64_t>
runtime::findAccumulations(const program::Program &program) {
  const auto *entries = program.entries();
  const auto *settings = program.settings();
  bool accumulates = false;
  for (uint32_t i = 0; entries && i < entries->size(); ++i)
    accumulates |=
        entries->Get(i)->name()->string_view() == program::kAccumulateEntry;
  for (uint32_t i = 0; accumulates && settings && i < settings->size(); ++i)
    if (settings->Get(i)->key()->string_view() == program::kAccumulateEntry)
      if (auto count =
              parseNumber<uint64_t>(settings->Get(i)->value()->string_view());
          count && *count > 0)
        return *count - 1;
  return std::nullopt;
}

Status Session::Body::checkMicroBatch(std::string_view entry) const {
  if (!accumulations)
    return {};
  bool isLast = entry == program::kStepEntry;
  bool isExpected = isLast == (accumulated == *accumulations);
  if (isExpected || (!isLast && entry != program::kAccumulateEntry))
    return {};
  return {StatusCode::InvalidArgument,
          "entry '" + std::string(entry) + "': a step of this program is " +
              std::to_string(*accumulations) +
              " runs of 'accumulate' and one of 'step' (setting accumulate = " +
              std::to_string(*accumulations + 1) + "); expected a run of '" +
              (isLast ? "accumulate" : "step") + "', since there were " +
              std::to_string(accumulated) +
              "; to begin the step anew, initialize or load states"};
}
