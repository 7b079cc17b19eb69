// What ranks must have alike: whether they do, and how they get it.
#include "Handles.h"
#include "mpc/Ranks/Drift.h"
#include "mpc/Support/Printable.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::ranks;

static mpc_code compare(mpc_ranks *ranks, const char *what, const void *data,
                        uint64_t bytes, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks || !what || (!data && bytes))
      return nullArgument("a group, a name and data");
    if (Status left = ranks->check({.kind = CollectiveKind::Barrier});
        !left.ok())
      return left;
    auto all = gather(ranks->group(), {XXH3_64bits(data, bytes)}, what);
    if (!all)
      return all.status();
    for (size_t rank = 1; rank < all->size(); ++rank)
      if ((*all)[rank] != (*all)[0])
        return {StatusCode::InvalidArgument,
                "expected the same " + std::string(what) +
                    " on all ranks, but rank " + std::to_string(rank) +
                    " has another than rank 0"};
    return {};
  });
}

//===-- States of a session -----------------------------------------------===//

namespace {

/// The states of a session, by the table that it was made by.
class States {
public:
  States(const mpc_api *mpc, const mpc_program *program,
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

  const std::vector<mpc_state_info> &list() const { return infos; }
  /// Valid until the next one.
  Status get(const mpc_state_info &state) {
    mpc_tensor tensor = view(state);
    mpc_status status = {};
    mpc_code code =
        mpc->session_get_state(session, state.name, &tensor, &status);
    return toStatus(code, status);
  }
  Status set(mpc_session *to, const mpc_state_info &state) {
    mpc_tensor tensor = view(state);
    mpc_status status = {};
    mpc_code code = mpc->session_set_state(to, state.name, &tensor, &status);
    return toStatus(code, status);
  }
  mpc_tensor view(const mpc_state_info &state) {
    bytes.resize(std::max<size_t>(bytes.size(), state.bytes));
    return {sizeof(mpc_tensor), state.type,   state.rank,
            state.shape,        bytes.data(), state.bytes};
  }
  static Status toStatus(mpc_code code, const mpc_status &status) {
    return code == MPC_OK
               ? Status()
               : Status(static_cast<StatusCode>(code), status.message);
  }

  std::vector<std::byte> bytes; ///< Of one at a time.

private:
  const mpc_api *mpc;
  const mpc_session *session;
  std::vector<mpc_state_info> infos;
};

} // namespace

static Status checkArguments(const mpc_ranks *ranks, const mpc_api *mpc) {
  if (!ranks || !mpc)
    return nullArgument("a group and the function table of the runtime");
  if (mpc->version != MPC_API_VERSION)
    return {StatusCode::InvalidArgument,
            "expected the function table of version " +
                std::to_string(MPC_API_VERSION) + ", but got " +
                std::to_string(mpc->version)};
  return ranks->check({.kind = CollectiveKind::Barrier});
}

static mpc_code compareStates(mpc_ranks *ranks, const mpc_api *mpc,
                              const mpc_program *program,
                              const mpc_session *session, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (Status wrong = checkArguments(ranks, mpc); !wrong.ok())
      return wrong;
    if (!program || !session)
      return nullArgument("a program and its session");
    States states(mpc, program, session);
    std::vector<uint64_t> hashes;
    std::vector<std::string> names;
    for (const mpc_state_info &state : states.list()) {
      Status got = giveUpUnless(*ranks, [&] { return states.get(state); });
      if (!got.ok())
        return got;
      hashes.push_back(XXH3_64bits(states.bytes.data(), state.bytes));
      names.push_back(printable(state.name));
    }
    Result<std::string> drift = findDrift(ranks->group(), hashes, names);
    if (!drift)
      return drift.status();
    return drift->empty() ? Status()
                          : Status(StatusCode::ChecksumMismatch, *drift);
  });
}

static mpc_code sendStates(mpc_ranks *ranks, const mpc_api *mpc,
                           const mpc_program *program, mpc_session *session,
                           uint32_t root, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (Status wrong = checkArguments(ranks, mpc); !wrong.ok())
      return wrong;
    if (!program || !session)
      return nullArgument("a program and its session");
    if (Status known =
            ranks->check({.kind = CollectiveKind::Broadcast, .root = root});
        !known.ok())
      return known;
    States states(mpc, program, session);
    bool isRoot = ranks->group().rank() == root;
    for (const mpc_state_info &state : states.list()) {
      if (state.init == MPC_INIT_DERIVED)
        continue;
      states.view(state); // which makes room
      Status moved = giveUpUnless(
          *ranks, [&] { return isRoot ? states.get(state) : Status(); });
      if (moved.ok())
        moved = ranks->broadcast(states.bytes.data(), state.bytes, root,
                                 "state '" + printable(state.name) + "'");
      if (moved.ok() && !isRoot)
        moved =
            giveUpUnless(*ranks, [&] { return states.set(session, state); });
      if (!moved.ok())
        return moved;
    }
    return {};
  });
}

//===-- Groups of GPUs ----------------------------------------------------===//

static mpc_code ncclUniqueId(mpc_ranks *ranks, const mpc_api *mpc,
                             const char *plugin, void *id, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (Status wrong = checkArguments(ranks, mpc); !wrong.ok())
      return wrong;
    if (!id)
      return nullArgument("a place for the id");
    if (mpc->struct_size <
        offsetof(mpc_api, nccl_unique_id) + sizeof mpc->nccl_unique_id)
      return {StatusCode::InvalidArgument,
              "expected a runtime that makes ids of NCCL, but got " +
                  std::string(mpc->library_version)};
    if (ranks->group().rank() == 0) {
      mpc_status made = {};
      Status status = giveUpUnless(*ranks, [&] {
        return States::toStatus(mpc->nccl_unique_id(plugin, id, &made), made);
      });
      if (!status.ok())
        return status;
    }
    return ranks->broadcast(id, MPC_NCCL_ID_BYTES, 0, "the id of NCCL's group");
  });
}

void capi::addAgreements(mpc_ranks_api &api) {
  api.compare = compare;
  api.compare_states = compareStates;
  api.send_states = sendStates;
  api.nccl_unique_id = ncclUniqueId;
}
