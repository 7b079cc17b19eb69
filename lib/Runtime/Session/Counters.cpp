// Counters of steps: i32, and without a word for "too many". A step that would
// count beyond the last number is refused before it begins: after it a counter
// would be negative, and schedules and bias corrections would begin anew.
#include "Initializer.h"
#include "SessionBody.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::State;

static bool isCounter(const State &state) {
  bool counts = state.role() == program::Role::StepCounter ||
                state.role() == program::Role::Counter;
  return counts && state.type() == program::ElementType::I32 &&
         state.bytes() == sizeof(int32_t);
}

static int32_t loadCount(const void *data) {
  int32_t count = 0;
  std::memcpy(&count, data, sizeof count);
  return count;
}

Status runtime::checkCount(const State &state, const void *data) {
  if (!isCounter(state) || loadCount(data) >= 0)
    return {};
  return {StatusCode::InvalidArgument,
          "state '" + state.name()->str() + "': expected a count of 0 to " +
              std::to_string(INT32_MAX) + ", but got " +
              std::to_string(loadCount(data))};
}

void Session::Body::noteCount(const State &state, const void *data) {
  if (isCounter(state))
    mostCounted = std::max(mostCounted, loadCount(data));
}

/// Of any seed: integers have no random initialisers.
void Session::Body::noteFirstCount(const State &state) {
  if (!isCounter(state))
    return;
  uint8_t bytes[sizeof(int32_t)];
  initializeState(state, /*seed=*/0, /*offset=*/0, bytes);
  noteCount(state, bytes);
}

/// The bound grows with skipped steps too, and stays where a counter is set to
/// less, so only what the counters hold says that it is the end.
Status Session::Body::checkCounters() {
  if (mostCounted < INT32_MAX)
    return {};
  int32_t most = 0; // in place of the bound when all have been read
  const auto *states = program->file()->states();
  for (uint32_t i = 0; states && i < states->size(); ++i) {
    const State &state = *states->Get(i);
    if (!isCounter(state))
      continue;
    uint8_t bytes[sizeof(int32_t)];
    if (Status status = executor->readState(state.offset(), bytes);
        !status.ok())
      return status;
    most = std::max(most, loadCount(bytes));
    if (most == INT32_MAX)
      return {StatusCode::InvalidArgument,
              "state '" + state.name()->str() + "' is " +
                  std::to_string(INT32_MAX) +
                  ", the last step that it can count; to go on, begin anew "
                  "with the parameters alone"};
  }
  mostCounted = most;
  return {};
}
