#include "Session.h"

#include "mpc/Support/Printable.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::ranks;

static_assert(int(Reduction::Sum) == MPC_SUM &&
              int(Reduction::Average) == MPC_AVERAGE &&
              int(Reduction::Max) == MPC_MAX);

static Status toStatus(mpc_code code, const mpc_status &status) {
  return code == MPC_OK ? Status()
                        : Status(static_cast<StatusCode>(code), status.message);
}

Collective ranks::toCollective(const mpc_bucket &bucket) {
  Collective gradients = {.kind = CollectiveKind::AllReduce,
                          .type = static_cast<DType>(bucket.type),
                          .reduction = static_cast<Reduction>(bucket.kind),
                          .name = bucket.name ? bucket.name
                                              : "of the step's gradients"};
  for (uint64_t i = 0; i < bucket.num_tensors; ++i) {
    const mpc_reduced &tensor = bucket.tensors[i];
    gradients.pieces.push_back({tensor.source, tensor.result, tensor.count});
  }
  return gradients;
}

SessionStates::SessionStates(const mpc_api *mpc, const mpc_program *program,
                             const mpc_session *session)
    : mpc(mpc), session(session) {
  MPC_STRUCT(mpc_program_info, facts);
  mpc->program_info(program, &facts);
  for (uint32_t i = 0; i < facts.num_states; ++i) {
    MPC_STRUCT(mpc_state_info, state);
    mpc->program_state(program, i, &state);
    infos.push_back(state);
  }
}

mpc_tensor SessionStates::view(const mpc_state_info &state) {
  bytes.resize(std::max<size_t>(bytes.size(), state.bytes));
  return {sizeof(mpc_tensor), state.type,   state.rank,
          state.shape,        bytes.data(), state.bytes};
}

Status SessionStates::get(const mpc_state_info &state) {
  mpc_tensor tensor = view(state);
  mpc_status status = {};
  return toStatus(mpc->session_get_state(session, state.name, &tensor, &status),
                  status);
}

Status SessionStates::set(mpc_session *to, const mpc_state_info &state) {
  mpc_tensor tensor = view(state);
  mpc_status status = {};
  return toStatus(mpc->session_set_state(to, state.name, &tensor, &status),
                  status);
}

Status SessionStates::hash(std::vector<uint64_t> &hashes,
                           std::vector<std::string> &names) {
  for (const mpc_state_info &state : infos) {
    if (Status status = get(state); !status.ok())
      return status;
    hashes.push_back(XXH3_64bits(bytes.data(), state.bytes));
    names.push_back(printable(state.name));
  }
  return {};
}

Status ranks::makeNcclId(const mpc_api *mpc, const char *plugin, void *id) {
  mpc_status status = {};
  return toStatus(mpc->nccl_unique_id(plugin, id, &status), status);
}
