// Tensors that ranks exchange: for the application, and for its sessions.
#include "Handles.h"
#include "Ranks/Session/Session.h"

#include <unistd.h>

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::ranks;

namespace mpc::capi {
MPC_FIRST_VERSION(mpc_collective, name);
MPC_FIRST_VERSION(mpc_bucket, kind);
} // namespace mpc::capi

static_assert(int(CollectiveKind::AllReduce) == MPC_ALL_REDUCE &&
              int(CollectiveKind::ReduceScatter) == MPC_REDUCE_SCATTER &&
              int(CollectiveKind::AllGather) == MPC_ALL_GATHER &&
              int(CollectiveKind::Broadcast) == MPC_BROADCAST &&
              int(CollectiveKind::Barrier) == MPC_BARRIER &&
              int(Reduction::Sum) == MPC_SUM &&
              int(Reduction::Average) == MPC_AVERAGE &&
              int(Reduction::Max) == MPC_MAX);

//===-- Of the group ------------------------------------------------------===//

Status mpc_ranks::checkProcess() const {
  if (getpid() == process)
    return {};
  return {StatusCode::InvalidArgument,
          "expected the process that has joined the group, " +
              std::to_string(process) + ", but this is " +
              std::to_string(getpid()) +
              ", forked from it, which has no threads of the group's"};
}

Status mpc_ranks::checkPresent() const {
  if (Status own = checkProcess(); !own.ok())
    return own;
  if (!hasLeft)
    return {};
  wasUsedSince = true;
  return {StatusCode::InvalidArgument,
          "expected a group that this rank is of, but it has left"};
}

Status mpc_ranks::failure() const {
  if (Status own = checkProcess(); !own.ok())
    return own;
  Status status = group().status();
  if (!status.ok())
    return status;
  if (hasLeft)
    return wasUsedSince ? checkPresent() : status;
  std::string lost = world->lost();
  return lost.empty() ? status : Status(StatusCode::CollectiveFailed, lost);
}

Status mpc_ranks::check(const Collective &collective) const {
  if (Status present = checkPresent(); !present.ok())
    return present;
  return ranks::check(collective, group().rank(), group().size());
}

uint64_t mpc_ranks::start(Collective collective) {
  uint64_t ticket = group().start(std::move(collective));
  uint64_t last = lastTicket;
  while (last < ticket && !lastTicket.compare_exchange_weak(last, ticket)) {
  }
  return ticket;
}

Status mpc_ranks::run(Collective collective) {
  if (Status status = check(collective); !status.ok())
    return status;
  return group().wait(start(std::move(collective)));
}

Status mpc_ranks::broadcast(void *data, uint64_t bytes, uint32_t root,
                            const std::string &name) {
  return run({.kind = CollectiveKind::Broadcast,
              .type = DType::I1,
              .count = bytes,
              .source = data,
              .result = data,
              .root = root,
              .name = name});
}

//===-- Of the application ------------------------------------------------===//

static Status read(const mpc_collective *given, Collective &result) {
  mpc_collective collective;
  if (Status status = readStruct(given, collective); !status.ok())
    return status;
  auto refuse = [](const char *what, int number) -> Status {
    return {StatusCode::InvalidArgument, std::string("expected ") + what +
                                             ", but got " +
                                             std::to_string(number)};
  };
  if (static_cast<unsigned>(collective.kind) > MPC_BARRIER)
    return refuse("a kind of collective", collective.kind);
  if (!isType(collective.type))
    return refuse("a type of elements", collective.type);
  if (static_cast<unsigned>(collective.reduction) > MPC_MAX)
    return refuse("a sum, an average or a maximum", collective.reduction);
  result = {.kind = static_cast<CollectiveKind>(collective.kind),
            .type = static_cast<DType>(collective.type),
            .reduction = static_cast<Reduction>(collective.reduction),
            .count = collective.count,
            .source = collective.source,
            .result = collective.result,
            .root = collective.root,
            .name = collective.name ? collective.name : ""};
  return {};
}

static mpc_code start(mpc_ranks *ranks, const mpc_collective *given,
                      uint64_t *ticket, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks || !given || !ticket)
      return nullArgument("a group, a collective and a place for its ticket");
    Collective collective;
    Status checked = read(given, collective);
    if (checked.ok())
      checked = ranks->check(collective);
    if (checked.ok())
      *ticket = ranks->start(std::move(collective));
    return checked;
  });
}

static Status checkTicket(const mpc_ranks &ranks, uint64_t ticket) {
  if (Status own = ranks.checkProcess(); !own.ok())
    return own;
  if (ticket > 0 && ticket <= ranks.lastTicket)
    return {};
  return {StatusCode::InvalidArgument,
          "expected a ticket of this group, but got " + std::to_string(ticket)};
}

static mpc_code isDone(const mpc_ranks *ranks, uint64_t ticket, uint32_t *done,
                       mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks || !done)
      return nullArgument("a group and a place for the answer");
    if (Status known = checkTicket(*ranks, ticket); !known.ok())
      return known;
    *done = ranks->group().isDone(ticket);
    return {};
  });
}

static mpc_code finish(mpc_ranks *ranks, uint64_t ticket, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks)
      return nullArgument("a group");
    if (Status known = checkTicket(*ranks, ticket); !known.ok())
      return known;
    return ranks->group().wait(ticket);
  });
}

static mpc_code run(mpc_ranks *ranks, const mpc_collective *given,
                    mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!ranks || !given)
      return nullArgument("a group and a collective");
    Collective collective;
    if (Status known = read(given, collective); !known.ok())
      return known;
    return ranks->run(std::move(collective));
  });
}

//===-- Of sessions -------------------------------------------------------===//

static mpc_code startBucket(void *self, const mpc_bucket *given,
                            uint64_t *ticket) {
  return guard(nullptr, [&]() -> Status {
    if (!self || !given || !ticket)
      return nullArgument("a group, a bucket and a place for its ticket");
    mpc_bucket bucket;
    if (Status status = readStruct(given, bucket); !status.ok())
      return status;
    if (!isType(bucket.type) || static_cast<unsigned>(bucket.kind) > MPC_MAX ||
        (!bucket.tensors && bucket.num_tensors))
      return {StatusCode::InvalidArgument,
              "expected a bucket of tensors, of a type and a reduction that "
              "there are, but got none"};
    Collective gradients = toCollective(bucket);
    mpc_ranks &ranks = *static_cast<mpc_ranks *>(self);
    if (Status status = ranks.check(gradients); !status.ok())
      return status;
    *ticket = ranks.start(std::move(gradients));
    return {};
  });
}

static mpc_code finishBucket(void *self, uint64_t ticket) {
  return guard(nullptr, [&]() -> Status {
    if (!self)
      return nullArgument("a group");
    auto &ranks = *static_cast<mpc_ranks *>(self);
    Status known = checkTicket(ranks, ticket);
    return known.ok() ? ranks.group().wait(ticket) : known;
  });
}

static mpc_code failureOf(void *self, mpc_status *status) {
  return guard(status, [&]() -> Status {
    return self ? static_cast<mpc_ranks *>(self)->failure()
                : nullArgument("a group");
  });
}

static mpc_code sessionGroup(mpc_ranks *ranks, mpc_rank_group *group) {
  if (!ranks || !group)
    return MPC_INVALID_ARGUMENT;
  mpc_rank_group value = {};
  value.context = ranks;
  value.rank = ranks->group().rank();
  value.size = ranks->group().size();
  value.start = startBucket;
  value.finish = finishBucket;
  value.failure = failureOf;
  return writeStruct(group, value);
}

void capi::addCollectives(mpc_ranks_api &api) {
  api.session_group = sessionGroup;
  api.start = start;
  api.is_done = isDone;
  api.finish = finish;
  api.run = run;
}
