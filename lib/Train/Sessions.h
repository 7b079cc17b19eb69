// Programs and sessions of mpc-c/Runtime.hpp for the files of this library:
// values with the types of Data, failures thrown.
#ifndef MPC_LIB_TRAIN_SESSIONS_H
#define MPC_LIB_TRAIN_SESSIONS_H

#include "Failure.h"

#include "mpc-c/Runtime.hpp"
#include "mpc/Data/Dataset.h"
#include "mpc/Train/Metrics.h"
#include "mpc/Train/Options.h"

#include <span>

namespace mpc::train {

//===-- Facts -------------------------------------------------------------===//

/// Of mpc_tensor_info and mpc_state_info.
template <typename Info> DType typeOf(const Info &info) {
  return static_cast<DType>(info.type);
}
template <typename Info> data::Shape shapeOf(const Info &info) {
  return {info.shape, info.shape + info.rank};
}
/// "64x10xf32".
template <typename Info> std::string describeType(const Info &info) {
  return data::describe(shapeOf(info), std::string(getInfo(typeOf(info)).name));
}
/// "'x', 'label'"; "none" of an empty list.
std::string listNames(const std::vector<mpc_tensor_info> &tensors);

/// What to say of an output that an entry lacks, where the program may have
/// been made without it to keep a limit of memory; empty if it was not.
std::string describeLeftOut(const rt::Program &program);
/// The program has no such output, but those of `entry`.
Failure noOutput(const rt::Program &program, const rt::Entry &entry,
                 const std::string &name);

/// Which labels an input takes, if it is for labels.
std::optional<LabelRange> labelsOf(const mpc_tensor_info &input);

//===-- Programs ----------------------------------------------------------===//

/// Refuses one whose code is not allowed in.
rt::Program loadProgram(const ProgramFile &file);
/// The entry `name`; a failure that lists the others if there is none.
rt::Entry requireEntry(const rt::Program &program, std::string_view name);
/// The same, or nothing.
std::optional<rt::Entry> findEntry(const rt::Program &program,
                                   std::string_view name);
uint64_t countMicroBatches(const rt::Program &program);

//===-- Sessions ----------------------------------------------------------===//

/// The group of ranks that a session is of: on processors ours, on GPUs an id
/// of NCCL.
struct RankMembership {
  uint32_t rank = 0, size = 1;
  uint32_t localRank = 0; ///< Of those on this machine.
  uint32_t threads = 0;   ///< Of processors for it; 0: as many as may be used.
  const mpc_rank_group *group = nullptr;
  std::vector<unsigned char> ncclId;
  uint32_t timeoutMilliseconds = 0; ///< Of what goes by NCCL; 0: its own.
  /// As in mpc_nccl.
  mpc_code (*findLoss)(void *context, mpc_status *status) = nullptr;
  void *findLossContext = nullptr;
};

/// Refuses options of another target than the program's. Ranks of one machine
/// share its processors, or have a GPU each, where no option says otherwise.
rt::Session openSession(const rt::Program &program,
                        const DeviceOptions &options,
                        const RankMembership &ranks = {});

void runBatch(rt::Session &session, const rt::Entry &entry,
              const data::Batch &batch);

/// Memory of an output of the last run, valid until the next.
std::span<const std::byte> readOutput(const rt::Session &session,
                                      const rt::Entry &entry, uint32_t index);
/// The same of the run of `entry` that was `age` runs of it ago; waits for
/// that one only. Output of at most MPC_RESULT_BYTES.
std::span<const std::byte> readResult(const rt::Session &session,
                                      const rt::Entry &entry, uint32_t index,
                                      uint32_t age);
/// Fills in what the step that was `age` steps ago tells.
void readReport(const rt::Session &session, uint32_t age, StepMetrics &step);
/// Every output of rank 0 of the run of `entry` that was `age` runs ago.
std::vector<NamedScalar> readScalars(const rt::Session &session,
                                     const rt::Entry &entry, uint32_t age);
/// One element of any type as a number.
double asNumber(DType type, std::span<const std::byte> bytes);

data::Bytes getState(const rt::Session &session, const mpc_state_info &state);
void setState(rt::Session &session, const mpc_state_info &state,
              std::span<const std::byte> bytes);
/// Of a single element.
double scalarState(const rt::Session &session, const mpc_state_info &state);
void setScalarState(rt::Session &session, const mpc_state_info &state,
                    double value);
/// `value` as the bytes of such a state.
data::Bytes asState(const mpc_state_info &state, double value);

/// Writes all states, with metadata; see session_save of the runtime.
void saveStates(const rt::Session &session, data::OutputFile file,
                const rt::Metadata &metadata);
/// Sets all states from a file of saveStates(), and returns its metadata.
rt::Metadata loadStates(rt::Session &session, const std::string &path);
/// Writes the plans of matrix products to a file.
void savePlans(rt::Session &session, data::OutputFile file);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SESSIONS_H
