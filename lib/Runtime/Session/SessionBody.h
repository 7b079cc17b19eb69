// What a session consists of. Session.cpp makes and runs it, SessionState.cpp
// gives access to its states.
#ifndef MPC_LIB_RUNTIME_SESSION_SESSIONBODY_H
#define MPC_LIB_RUNTIME_SESSION_SESSIONBODY_H

#include "mpc/Runtime/Session.h"

#include <optional>

namespace mpc::runtime {

struct Session::Body {
  explicit Body(std::shared_ptr<const runtime::Program> program);

  Status runEntry(uint32_t index, std::span<const Input> inputs);
  Status runInit();
  Status requireStates() const;
  Status requireValue(uint32_t state) const;
  /// Runs "init" if what it computes is not, or no longer, what the states
  /// give.
  Status bringUpToDate();
  Status checkInputs(const program::Entry &entry,
                     std::span<const Input> inputs) const;
  Status checkFlags(const program::Tensor &input, const Input &given) const;
  Status checkLabels(const program::Tensor &input, const Input &given) const;
  /// Whether "step" or "accumulate" may be run now: both of the following.
  Status checkTurn(std::string_view entry);
  /// Fails if the step of the program has it that another entry is next.
  Status checkMicroBatch(std::string_view entry) const;
  /// Fails if a counter has no room for one more step.
  Status checkCounters();
  /// `data` is now the value of `state`, which may be a counter.
  void noteCount(const program::State &state, const void *data);
  /// The same of its first value.
  void noteFirstCount(const program::State &state);
  /// Fails if a run failed on its way, and states hold a part of it.
  Status checkWhole() const;
  /// The accumulators are zero, and all states whole.
  void endStep() { isMidStep = false, accumulated = 0, unfinished = kNone; }
  std::string entryName(uint32_t index) const;
  Status noSuchEntry(uint32_t index) const;
  Result<uint64_t> getOutputBytes(uint32_t entry, uint32_t index) const;
  const program::State *findState(std::string_view name,
                                  uint32_t *index = nullptr) const;

  std::shared_ptr<const runtime::Program> program;
  std::unique_ptr<Executor> executor; // after the program: it refers to it
  ReportLayout layout;
  std::vector<bool> given;    ///< by state: set by the caller
  std::vector<bool> sources;  ///< by state: derived ones are computed from it
  std::vector<uint64_t> runs; ///< by entry: those that succeeded
  bool isUpToDate = false;    ///< the derived states, and there are no others
                              ///< without a value
  bool isMidStep = false;     ///< accumulators hold a part of a step
  bool isTimed = false;       ///< runs note the times of their records
  std::vector<bool> timed;    ///< by entry: has been run since
  std::optional<uint64_t> accumulations; ///< of each step, if that is known
  uint64_t accumulated = 0;              ///< of the present one
  int32_t mostCounted = 0; ///< no counter is above it: each step that was
                           ///< run has added one at most
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t unfinished =
      kNone; ///< Entry that was begun, and has not ended well.
  uint32_t lastEntry = kNone;
};

/// How often "accumulate" is run before "step"; nothing if the program has no
/// such entry or does not say.
std::optional<uint64_t> findAccumulations(const program::Program &program);

/// Counters count from 0. Anything may be set to a state that is none.
Status checkCount(const program::State &state, const void *data);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_SESSIONBODY_H
