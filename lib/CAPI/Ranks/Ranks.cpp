// The table of libmpcranks, and how a group ends.
#include "Handles.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::ranks;

static mpc_code failure(const mpc_ranks *ranks, mpc_status *status) {
  return guard(status, [&]() -> Status {
    return ranks ? ranks->failure() : nullArgument("a group");
  });
}

static mpc_code giveUp(mpc_ranks *ranks, const char *reason,
                       mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks || !reason)
      return nullArgument("a group and a reason");
    Status present = ranks->checkPresent();
    if (present.ok())
      ranks->world->giveUp(reason);
    return present;
  });
}

static mpc_code leave(mpc_ranks *ranks, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks)
      return nullArgument("a group");
    Status all =
        ranks->run({.kind = CollectiveKind::Leave, .name = "before all go"});
    if (all.ok()) {
      ranks->hasLeft = true;
      ranks->world->leave();
    }
    return all;
  });
}

/// In a process that was forked what others need is left as it is: the threads
/// that would end it are not there.
static void release(mpc_ranks *ranks) {
  if (ranks && !ranks->checkProcess().ok())
    static_cast<void>(ranks->world.release());
  delete ranks;
}

static mpc_ranks_api makeApi() {
  mpc_ranks_api api = {};
  api.struct_size = sizeof api;
  api.version = MPC_RANKS_API_VERSION;
  api.library_version = MPC_LIBRARY_VERSION;
  addJoin(api);
  addCollectives(api);
  addAgreements(api);
  api.failure = failure;
  api.give_up = giveUp;
  api.leave = leave;
  api.release = release;
  return api;
}

const mpc_ranks_api *mpc_get_ranks_api(uint32_t version) {
  static const mpc_ranks_api api = makeApi();
  return version == MPC_RANKS_API_VERSION ? &api : nullptr;
}
