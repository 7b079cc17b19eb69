// A program and a session of the runtime, as the commands see them: facts as
// plain values, failures as Failure.
#ifndef MPC_TOOLS_MPC_RUN_MODEL_H
#define MPC_TOOLS_MPC_RUN_MODEL_H

#include "Device.h"
#include "Metrics/Metrics.h"

#include "mpc-c/Checkpoint.hpp"
#include "mpc-c/Runtime.h"
#include "mpc/Data/Dataset.h"
#include "mpc/Data/Tensor.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mpc::run {

struct TensorFacts {
  std::string name;
  DType type;
  data::Shape shape;
  uint64_t bytes;
};

struct InputFacts : TensorFacts {
  /// Which labels it takes, if it is for labels.
  std::optional<LabelRange> labels;
  /// No output but the loss depends on it.
  bool lossOnly = false;
};

struct StateFacts : TensorFacts {
  mpc_role role;
  std::string of; ///< The parameter it belongs to; "" if none.
  /// Computed from other states: neither saved nor loaded.
  bool isDerived;
};

struct EntryFacts {
  uint32_t index = 0;
  uint32_t numRecords = 0;
  std::string name;
  std::vector<InputFacts> inputs;
  std::vector<TensorFacts> outputs;

  /// Number of the output, or nothing.
  std::optional<uint32_t> findOutput(std::string_view name) const;
};

/// A program file that was read and verified.
class Program {
public:
  explicit Program(const std::string &path, bool allowCode = true);
  /// From here on the native code of programs stays out of this process: those
  /// that bring some can be described, but not made to run them.
  static void forbidCode();

  const mpc_api *api() const { return functions; }
  mpc_program *get() const { return handle.get(); }
  const std::string &path() const { return file; }
  mpc_program_info info() const;
  const std::vector<EntryFacts> &entries() const { return entryList; }
  const std::vector<StateFacts> &states() const { return stateList; }
  /// The entry `name`; a failure that lists the others if there is none.
  const EntryFacts &entry(std::string_view name) const;
  /// The entry `name`, or nullptr.
  const EntryFacts *findEntry(std::string_view name) const;
  /// How it was compiled: "loss-scale", "accumulate", ...
  std::optional<std::string> setting(std::string_view name) const;
  /// Of one step; 1 without accumulation.
  uint64_t microBatches() const;
  /// The names of its parameter groups, each of which counts its own steps.
  std::vector<std::string> groups() const;
  /// The state `name`, or nullptr.
  const StateFacts *findState(std::string_view name) const;
  /// The state of `role` that belongs to nothing in particular, or nullptr: the
  /// one loss scale, the learning rate of the default group.
  const StateFacts *findState(mpc_role role) const;

private:
  struct Release {
    const mpc_api *api;
    void operator()(mpc_program *program) const;
  };
  void readEntries();
  void readStates();

  const mpc_api *functions;
  std::string file;
  std::unique_ptr<mpc_program, Release> handle;
  std::vector<EntryFacts> entryList;
  std::vector<StateFacts> stateList;
};

/// What a checkpoint says beside its states.
using rt::Metadata;

/// How often the process has waited for its device.
struct WaitCounts {
  uint64_t synchronizations = 0; ///< Until it was idle.
  uint64_t waits = 0;            ///< For one earlier run.
};

/// The memory of one training run.
class Session {
public:
  Session(const Program &program, const DeviceChoice &device);

  void init(uint64_t seed);
  /// After setState: recomputes what derives from the states.
  void refresh();
  void run(const EntryFacts &entry, const data::Batch &batch);
  /// Memory of an output of the last run, valid until the next.
  std::span<const std::byte> output(const EntryFacts &entry,
                                    uint32_t index) const;
  /// The same of the run of `entry` that was `age` runs of it ago; waits for
  /// that one only. Output of at most MPC_RESULT_BYTES.
  std::span<const std::byte> result(const EntryFacts &entry, uint32_t index,
                                    uint32_t age) const;
  /// Fills in what the step that was `age` steps ago tells.
  void readReport(uint32_t age, StepMetrics &step) const;
  /// Every output of rank 0 of the run of `entry` that was `age` runs ago.
  std::vector<NamedScalar> readScalars(const EntryFacts &entry,
                                       uint32_t age) const;
  /// A rank-0 output, result or state as a number.
  double scalarOutput(const EntryFacts &entry, uint32_t index) const;
  double scalarResult(const EntryFacts &entry, uint32_t index,
                      uint32_t age) const;
  double scalarState(const StateFacts &state) const;
  void setScalarState(const StateFacts &state, double value);

  data::Bytes getState(const StateFacts &state) const;
  void setState(const StateFacts &state, std::span<const std::byte> bytes);
  /// Writes all states, with metadata; see session_save of the runtime.
  void save(data::OutputFile file, const Metadata &metadata) const;
  /// Sets all states from a file of save(), and returns its metadata.
  Metadata load(const std::string &path);
  /// Writes the plans of matrix products to a file.
  void savePlans(data::OutputFile file);
  /// Waits until everything queued has run.
  void synchronize();
  mpc_memory_info memory() const;
  WaitCounts waitCounts() const;

private:
  struct Destroy {
    const mpc_api *api;
    void operator()(mpc_session *session) const;
  };
  const mpc_api *api;
  std::unique_ptr<mpc_session, Destroy> handle;
  std::vector<mpc_input> inputs; ///< Of a run; kept to reuse its memory.
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_MODEL_H
