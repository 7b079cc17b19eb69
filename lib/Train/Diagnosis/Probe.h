// The observed twin of a program: the entry `probe`, compiled when it is first
// needed, run on the processor with the states and inputs of another session.
#ifndef MPC_LIB_TRAIN_DIAGNOSIS_PROBE_H
#define MPC_LIB_TRAIN_DIAGNOSIS_PROBE_H

#include "../Sessions.h"
#include "Compiler.h"

#include "mpc/Support/Observation.h"

#include <map>
#include <optional>

namespace mpc::train {

/// What the program tells of one observed value.
struct ProbeFacts {
  uint32_t output; ///< Of entry `probe`.
  std::string name, what, location;
  DType type;
  data::Shape shape;
  std::vector<uint32_t> reads; ///< Numbers of other probes.
  bool isBackward, isSink;
};

/// One value in one run.
struct ObservedValue {
  const ProbeFacts *facts;
  Observation seen;
};

/// Values of states by name, as they were before a step changed them.
using StateValues = std::map<std::string, data::Bytes, std::less<>>;

/// The twin of `program`, which was loaded as `file` says, and so is this; see
/// Compiler for how that can fail.
rt::Program compileProbe(const rt::Program &program, ProgramFile file,
                         const Compiler &compiler);

class Probe {
public:
  /// Runs `twin`, a program with the entry `probe`.
  Probe(rt::Program twin, std::optional<uint64_t> threads);
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  const std::vector<ProbeFacts> &facts() const { return table; }

  /// Runs on `batch` with the states that `session` of `trained` has now; those
  /// in `before` have that value instead.
  std::vector<ObservedValue> run(const rt::Program &trained,
                                 const rt::Session &session,
                                 const StateValues &before,
                                 const data::Batch &batch);
  /// Runs on `batch` with the states as they are: first values of seed 0, or
  /// those of the last run.
  std::vector<ObservedValue> observe(const data::Batch &batch);

private:
  void readFacts();
  void copyStates(const rt::Program &trained, const rt::Session &from,
                  const StateValues &before);

  rt::Program program;
  rt::Session session;
  rt::Entry entry;
  std::vector<ProbeFacts> table;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_DIAGNOSIS_PROBE_H
