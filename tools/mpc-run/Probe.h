// The observed twin of a program: the entry `probe`, compiled when it is first
// needed, run on the processor with the states and inputs of another session.
#ifndef MPC_TOOLS_MPC_RUN_PROBE_H
#define MPC_TOOLS_MPC_RUN_PROBE_H

#include "Compiler.h"
#include "Model.h"

#include "mpc/Support/Observation.h"

#include <map>
#include <optional>

namespace mpc::run {

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

/// The twin of `program`; see Compiler for how that can fail.
Program compileProbe(const Program &program, const Compiler &compiler);

class Probe {
public:
  /// Runs `twin`, a program with the entry `probe`.
  Probe(Program twin, std::optional<uint64_t> threads);
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  const std::vector<ProbeFacts> &facts() const { return table; }

  /// Runs on `batch` with the states that `session` of `trained` has now; those
  /// in `before` have that value instead.
  std::vector<ObservedValue> run(const Program &trained, const Session &session,
                                 const StateValues &before,
                                 const data::Batch &batch);
  /// Runs on `batch` with the states as they are: first values of seed 0, or
  /// those of the last run.
  std::vector<ObservedValue> observe(const data::Batch &batch);

private:
  void readFacts();
  void copyStates(const Program &trained, const Session &from,
                  const StateValues &before);

  Program program;
  Session session;
  const EntryFacts &entry;
  std::vector<ProbeFacts> table;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PROBE_H
