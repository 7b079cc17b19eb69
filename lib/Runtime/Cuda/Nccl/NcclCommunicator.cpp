#include "NcclCommunicator.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace mpc;
using namespace mpc::runtime;

using Steady = std::chrono::steady_clock;

Status runtime::makeStatus(const NcclApi &api, ncclResult_t result,
                           std::string_view what, ncclComm_t communicator) {
  if (result == ncclSuccess)
    return {};
  std::string text = std::string(what) + ": " + api.ncclGetErrorString(result) +
                     " (" + std::to_string(static_cast<int>(result)) + ")";
  const char *last = communicator ? api.ncclGetLastError(communicator) : "";
  if (last && *last)
    text += std::string(", ") + last;
  return {StatusCode::CollectiveFailed, std::move(text)};
}

Result<std::vector<uint8_t>> runtime::makeUniqueId(const NcclApi &api) {
  ncclUniqueId id = {};
  if (Status status =
          makeStatus(api, api.ncclGetUniqueId(&id), "ncclGetUniqueId");
      !status.ok())
    return status;
  const auto *bytes = reinterpret_cast<const uint8_t *>(id.internal);
  return std::vector<uint8_t>(bytes, bytes + sizeof(id.internal));
}

static std::string formatSeconds(std::chrono::milliseconds time) {
  return std::to_string(time.count() / 1000) + "." +
         std::to_string(time.count() / 100 % 10) + " s";
}

std::optional<ncclResult_t> NcclCommunicator::call(const Calls &calls) {
  std::lock_guard<std::mutex> lock(inUse);
  if (aborted)
    return std::nullopt;
  return calls(handle);
}

std::optional<ncclResult_t>
NcclCommunicator::waitWhileInProgress(Duration most, ncclResult_t result) {
  // Short at first: what NCCL does in the background mostly takes
  // microseconds, only meeting the other ranks takes long.
  auto nap = std::chrono::microseconds(20);
  for (Steady::time_point end = Steady::now() + most;
       result == ncclInProgress && Steady::now() < end;) {
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 2, std::chrono::microseconds(10000));
    std::optional<ncclResult_t> answer = call([&](ncclComm_t communicator) {
      ncclResult_t state = ncclSuccess;
      ncclResult_t asked = api.ncclCommGetAsyncError(communicator, &state);
      return asked == ncclSuccess ? state : asked;
    });
    if (!answer)
      return std::nullopt;
    result = *answer;
  }
  return result;
}

Status NcclCommunicator::run(const Calls &calls, std::string_view what) {
  std::optional<ncclResult_t> result = call(calls);
  if (result)
    result = waitWhileInProgress(limit, *result);
  if (!result)
    return {StatusCode::CollectiveFailed,
            std::string(what) + ": the group was aborted meanwhile"};
  if (*result == ncclInProgress)
    return {StatusCode::CollectiveTimedOut,
            std::string(what) + ": still in progress after " +
                formatSeconds(limit) +
                "; check that all ranks run and reach each other"};
  std::lock_guard<std::mutex> lock(inUse);
  return makeStatus(api, *result, what, aborted ? nullptr : handle);
}

Status NcclCommunicator::join(const RankOptions &ranks) {
  ncclUniqueId id = {};
  if (ranks.uniqueId.size() != sizeof(id.internal))
    return {StatusCode::InvalidArgument,
            "expected an NCCL id of " + std::to_string(sizeof(id.internal)) +
                " bytes, but got " + std::to_string(ranks.uniqueId.size())};
  if (ranks.rank >= ranks.size)
    return {StatusCode::InvalidArgument,
            "expected a rank below the number of ranks, but got " +
                std::to_string(ranks.rank) + " of " +
                std::to_string(ranks.size)};
  std::memcpy(id.internal, ranks.uniqueId.data(), sizeof(id.internal));
  number = ranks.rank;
  count = ranks.size;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return run(
      [&](ncclComm_t) {
        return api.ncclCommInitRankConfig(&handle, static_cast<int>(count), id,
                                          static_cast<int>(number), &config);
      },
      "ncclCommInitRankConfig");
}

Status NcclCommunicator::adopt(void *communicator) {
  handle = static_cast<ncclComm_t>(communicator);
  int theirRank = 0, theirSize = 0;
  Status status = makeStatus(api, api.ncclCommUserRank(handle, &theirRank),
                             "ncclCommUserRank of the caller's communicator");
  if (status.ok())
    status = makeStatus(api, api.ncclCommCount(handle, &theirSize),
                        "ncclCommCount of the caller's communicator");
  number = static_cast<uint32_t>(theirRank);
  count = static_cast<uint32_t>(theirSize);
  return status;
}

Result<std::unique_ptr<NcclCommunicator>>
NcclCommunicator::open(const NcclApi &api, const RankOptions &ranks) {
  std::unique_ptr<NcclCommunicator> made(new NcclCommunicator(api, ranks));
  Status status =
      made->ours ? made->join(ranks) : made->adopt(ranks.communicator);
  if (status.ok())
    return made;
  if (made->ours)
    made->abort();
  if (status.code() == StatusCode::InvalidArgument)
    return status;
  return Status(status.code(), "rank " + std::to_string(made->number) + " of " +
                                   std::to_string(made->count) + ": " +
                                   status.message());
}

Status NcclCommunicator::check() {
  ncclResult_t state = ncclSuccess;
  std::unique_lock<std::mutex> lock(inUse, std::try_to_lock);
  if (!lock || aborted)
    return {};
  if (Status status = makeStatus(api, api.ncclCommGetAsyncError(handle, &state),
                                 "ncclCommGetAsyncError", handle);
      !status.ok())
    return status;
  if (state == ncclInProgress)
    return {};
  return makeStatus(api, state, "NCCL noticed", handle);
}

void NcclCommunicator::abort() {
  if (aborted.exchange(true) || !handle)
    return;
  // There is nobody left to tell of a failure of these. A call on the caller's
  // communicator may block; the revocation ends it.
  if (!ours) {
    if (api.ncclCommRevoke)
      (void)api.ncclCommRevoke(handle, NCCL_REVOKE_DEFAULT);
    return;
  }
  // Calls on ours do not block: whoever is in one comes out, and whoever comes
  // later sees the mark.
  {
    std::lock_guard<std::mutex> lock(inUse);
  }
  (void)api.ncclCommAbort(handle);
}

NcclCommunicator::~NcclCommunicator() {
  if (!ours || aborted || !handle)
    return;
  ncclResult_t begun = api.ncclCommFinalize(handle);
  if (waitWhileInProgress(std::min(limit, kFarewell), begun) == ncclSuccess)
    (void)api.ncclCommDestroy(handle);
  else
    abort();
}
