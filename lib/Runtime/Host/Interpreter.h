// The records of an entry, resolved at load into a flat table: addresses
// instead of offsets, functions instead of numbers, ranges instead of grains.
#ifndef MPC_LIB_RUNTIME_HOST_INTERPRETER_H
#define MPC_LIB_RUNTIME_HOST_INTERPRETER_H

#include "KeptOperands.h"
#include "mpc/Runtime/Communicator.h"
#include "mpc/Runtime/Session.h"

#include <map>

namespace mpc::runtime {

/// What the records of all entries share.
struct Machine {
  const Program *program;
  ThreadPool *pool;
  Communicator *communicator;
  std::span<const std::unique_ptr<HostCall>> calls; ///< by number
  uint8_t *state, *arena;
};

class EntryTable {
public:
  /// `memory`: as many bytes as `kept` says.
  EntryTable(const program::Entry &entry, const Machine &machine,
             const KeptPlan &kept, uint8_t *memory);
  /// Runs all records. `inputs`: one pointer per input of the entry.
  Status run(std::span<const Input> inputs);
  /// Whether the last run, which failed, had begun to write states.
  bool hasBegunToWrite() const { return reached && reached >= firstWrite; }
  /// The address of an argument, given the inputs of the last run.
  const uint8_t *resolve(const program::Arg &arg) const;
  /// Whether runs note the times of records. Allocates; a run does not.
  void timeRecords(bool isOn) {
    times.assign(isOn ? steps.size() : 0, RecordTime());
  }
  std::span<const RecordTime> recordTimes() const { return times; }

private:
  /// What an all-reduce is called where it fails, by its record.
  void nameBuckets();
  /// 56 bytes; `target` is a kernel, a HostCall or a Collective.
  struct Step {
    program::RecordKind kind;
    uint32_t chunks;
    void **args;
    void *target;
    int64_t extent;
    int64_t range; ///< work items of a chunk
    uint32_t record;
    bool makesKept; ///< before the call runs
    uint8_t *kept;  ///< what a call has made of an operand, or null
  };
  struct Patch {
    uint32_t arg;
    uint32_t input;
    uint64_t offset;
  };

  /// An all-reduce that record `record` has started.
  struct UnderWay {
    uint32_t record;
    uint64_t ticket;
  };

  uint8_t *base(program::Space space) const;
  Step resolveStep(const program::Record &record, uint32_t index);
  bool writesState(const program::Record &record) const;
  void launchInRanges(const Step &step);
  Status runCall(const Step &step);
  /// False where the step fails, and `failure` says why.
  bool runStep(const Step &step, Status &failure);
  Status runSteps();
  Status runTimed();
  Status explain(const Step &step, const Status &failure) const;
  Status startAllReduce(const Step &step);
  Status finishAllReduce(const Step &step, uint32_t start);
  void finishAll();
  void observeValue(const Step &step) const;
  /// "record 31 (all_reduce_start (backward) at digits.mlir:28)".
  std::string describeRecord(uint32_t record) const;
  Status locate(const Step &step, const Status &failure) const;

  const program::Entry &entry;
  Machine machine;
  std::vector<void *> args;
  std::vector<Patch> patches;
  std::vector<Step> steps;
  std::vector<ReducedTensor> bucket; ///< That is being started.
  std::map<uint32_t, std::string> bucketNames;
  std::vector<UnderWay> underWay;
  const Step *firstWrite = nullptr; ///< Of a state, or the end.
  const Step *reached = nullptr;    ///< By the run that goes on, or has failed.
  std::vector<const uint8_t *> lastInputs;
  std::vector<RecordTime> times; ///< By record; empty where nobody asks.
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_INTERPRETER_H
