// The opaque handles of the C interface.
#ifndef MPC_LIB_CAPI_HANDLES_H
#define MPC_LIB_CAPI_HANDLES_H

#include "Boundary/Boundary.h"

#include "mpc-c/Runtime.h"
#include "mpc/Runtime/Session.h"

struct mpc_program {
  std::shared_ptr<const mpc::runtime::Program> program;
};

struct mpc_session {
  /// Tensors that were handed out keep it, too.
  std::shared_ptr<mpc::runtime::Session> session;
  std::vector<uint8_t> plans; ///< that session_export_plans gave out
};

namespace mpc::capi {

MPC_FIRST_VERSION(mpc_load_options, log_context);
MPC_FIRST_VERSION(mpc_session_options, log_context);
MPC_FIRST_VERSION(mpc_device_options, allow_nondeterministic);
MPC_FIRST_VERSION(mpc_nccl, timeout_ms);
MPC_FIRST_VERSION(mpc_rank_group, finish);
MPC_FIRST_VERSION(mpc_tensor, bytes);
MPC_FIRST_VERSION(mpc_save_options, num_metadata);
MPC_FIRST_VERSION(mpc_restore_options, metadata_context);

runtime::Log makeLog(mpc_log log, void *context);

/// What the caller asks of a session, checked as far as it needs no program.
Status readOptions(const mpc_session_options *given,
                   runtime::SessionOptions &result);

/// The functions that tell about a program, for the table.
void addQueries(mpc_api &api);
/// Those that run it.
void addSessions(mpc_api &api);
/// Those that save and load its states.
void addCheckpoints(mpc_api &api);
/// Those that exchange tensors by DLPack.
void addDlpack(mpc_api &api);
/// Those that read and write files as wholes.
void addFiles(mpc_api &api);
/// Those that measure this machine.
void addRates(mpc_api &api);

} // namespace mpc::capi

#endif // MPC_LIB_CAPI_HANDLES_H
