#include "SessionReduces.h"

#include "../Failure.h"

#include "Ranks/Session/Session.h"

#include "mpc/Ranks/Processors.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;
using ranks::Collective;

//===-- Buckets -----------------------------------------------------------===//

SessionReduces::SessionReduces(ranks::Group &group, BucketTimes &times)
    : group(group), times(times) {
  table.struct_size = sizeof table;
  table.context = this;
  table.rank = group.rank();
  table.size = group.size();
  table.start = [](void *self, const mpc_bucket *bucket, uint64_t *ticket) {
    return static_cast<SessionReduces *>(self)->start(*bucket, *ticket);
  };
  table.finish = [](void *self, uint64_t ticket) {
    return static_cast<SessionReduces *>(self)->finish(ticket);
  };
}

mpc_code SessionReduces::start(const mpc_bucket &bucket, uint64_t &ticket) {
  Collective gradients = ranks::toCollective(bucket);
  if (mpc::Status status = ranks::check(gradients, group.rank(), group.size());
      !status.ok())
    return static_cast<mpc_code>(status.code());
  uint64_t elements = 0;
  for (const ranks::Piece &piece : gradients.pieces)
    elements += piece.count;
  uint64_t bytes = elements * getInfo(gradients.type).bytes;
  ticket =
      times.noteReady(bytes, [&] { return group.start(std::move(gradients)); });
  return MPC_OK;
}

mpc_code SessionReduces::finish(uint64_t ticket) {
  auto begin = ranks::Clock::now();
  mpc::Status status = group.wait(ticket);
  times.noteWait(
      ticket,
      static_cast<uint64_t>(
          std::chrono::nanoseconds(ranks::Clock::now() - begin).count()));
  return static_cast<mpc_code>(status.code());
}

//===-- Of which group a session is ---------------------------------------===//

static std::vector<unsigned char> shareNcclId(RankGroup &group) {
  std::vector<unsigned char> id(MPC_NCCL_ID_BYTES);
  if (group.rank() == 0)
    requireWritten(ranks::makeNcclId(&rt::api(), nullptr, id.data()));
  group.run({.kind = ranks::CollectiveKind::Broadcast,
             .type = DType::I1,
             .count = id.size(),
             .source = id.data(),
             .result = id.data(),
             .name = "the id of NCCL's group"});
  return id;
}

static uint32_t shareProcessors(RankGroup &group) {
  Result<uint32_t> threads = ranks::shareProcessors(group.collectives());
  if (!threads)
    throw Failure(Fault::System, threads.status().message());
  return *threads;
}

static uint32_t inMilliseconds(std::chrono::seconds time) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(std::chrono::milliseconds(time).count(), UINT32_MAX));
}

RankMembership mpc::train::makeMembership(const ranks::Launch &launch,
                                          RankGroup &group,
                                          const rt::Program &program,
                                          const SessionReduces &reduces) {
  RankMembership ranks;
  ranks.rank = launch.rank;
  ranks.size = launch.size;
  ranks.localRank = launch.localRank;
  if (!isForGpus(program)) {
    ranks.threads = shareProcessors(group);
    ranks.group = &reduces.callbacks();
    return ranks;
  }
  ranks.ncclId = shareNcclId(group);
  ranks.timeoutMilliseconds = inMilliseconds(group.timeout());
  ranks.findLoss = [](void *self, mpc_status *status) {
    return static_cast<RankGroup *>(self)->findLoss(status);
  };
  ranks.findLossContext = &group;
  return ranks;
}
