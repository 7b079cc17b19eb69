// What groups do for sessions of the runtime: gradients of their steps, and
// states. A session is known by the function table of its C interface alone.
#ifndef MPC_LIB_RANKS_SESSION_SESSION_H
#define MPC_LIB_RANKS_SESSION_SESSION_H

#include "mpc-c/Runtime.h"
#include "mpc/Ranks/Group.h"

namespace mpc::ranks {

/// What mpc_rank_group::start is asked for, of all fields of today's version.
Collective toCollective(const mpc_bucket &bucket);

/// States of a session, of which one at a time is in memory here: they may fill
/// half of it.
class SessionStates {
public:
  SessionStates(const mpc_api *mpc, const mpc_program *program,
                const mpc_session *session);

  const std::vector<mpc_state_info> &list() const { return infos; }
  /// Makes room for a state.
  mpc_tensor view(const mpc_state_info &state);
  /// Reads it into that; valid until the next one.
  Status get(const mpc_state_info &state);
  /// Sets it from that.
  Status set(mpc_session *to, const mpc_state_info &state);
  std::byte *data() { return bytes.data(); }

  /// Of all of them, for findDrift.
  Status hash(std::vector<uint64_t> &hashes, std::vector<std::string> &names);

private:
  const mpc_api *mpc;
  const mpc_session *session;
  std::vector<mpc_state_info> infos;
  std::vector<std::byte> bytes;
};

/// The id of a group of NCCL, of MPC_NCCL_ID_BYTES, as `plugin` makes it.
Status makeNcclId(const mpc_api *mpc, const char *plugin, void *id);

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_SESSION_SESSION_H
