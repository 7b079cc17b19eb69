// What ranks must have alike: whether they do, and how they get it.
#include "Handles.h"
#include "Ranks/Session/Session.h"
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
    SessionStates states(mpc, program, session);
    std::vector<uint64_t> hashes;
    std::vector<std::string> names;
    Status got =
        giveUpUnless(*ranks, [&] { return states.hash(hashes, names); });
    if (!got.ok())
      return got;
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
    SessionStates states(mpc, program, session);
    bool isRoot = ranks->group().rank() == root;
    for (const mpc_state_info &state : states.list()) {
      if (state.init == MPC_INIT_DERIVED)
        continue;
      states.view(state); // which makes room
      Status moved = giveUpUnless(
          *ranks, [&] { return isRoot ? states.get(state) : Status(); });
      if (moved.ok())
        moved = ranks->broadcast(states.data(), state.bytes, root,
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
      Status status =
          giveUpUnless(*ranks, [&] { return makeNcclId(mpc, plugin, id); });
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
