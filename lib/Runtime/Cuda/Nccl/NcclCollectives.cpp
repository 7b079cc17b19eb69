#include "NcclCollectives.h"

#include "mpc/Runtime/Collective.h"

using namespace mpc;
using namespace mpc::runtime;
using program::ElementType;
using program::ReduceKind;

static Result<ncclDataType_t> toNccl(ElementType type, ReduceKind kind) {
  switch (type) {
  case ElementType::F64:
    return ncclFloat64;
  case ElementType::F32:
    return ncclFloat32;
  case ElementType::F16:
    return ncclFloat16;
  case ElementType::BF16:
    return ncclBfloat16;
  case ElementType::I64:
    return ncclInt64;
  case ElementType::I32:
    return ncclInt32;
  case ElementType::F8E4M3:
    return ncclFloat8e4m3;
  case ElementType::F8E5M2:
    return ncclFloat8e5m2;
  case ElementType::I1:
    // A byte of 0 or 1: the maximum is whether any rank has 1.
    if (kind == ReduceKind::Max)
      return ncclUint8;
    break;
  }
  return Status(StatusCode::InvalidProgram,
                "expected the maximum of i1, but got a sum or an average; "
                "NCCL has no such; reduce them as i32");
}

static ncclRedOp_t toNccl(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return ncclSum;
  case ReduceKind::Average:
    return ncclAvg;
  case ReduceKind::Max:
    break;
  }
  return ncclMax;
}

Result<std::unique_ptr<Collectives>>
NcclCollectives::open(const NcclApi &nccl, const CudaApi &cuda,
                      const RankOptions &ranks, int device, const Log &log) {
  int version = 0;
  if (Status status =
          makeStatus(nccl, nccl.ncclGetVersion(&version), "ncclGetVersion");
      !status.ok())
    return status;
  std::unique_ptr<NcclCollectives> made(new NcclCollectives(nccl));
  Result<std::unique_ptr<NcclCommunicator>> communicator =
      NcclCommunicator::open(nccl, ranks);
  if (!communicator)
    return communicator.status();
  made->communicator = std::move(*communicator);
  Result<std::unique_ptr<NcclWatchdog>> watchdog = NcclWatchdog::start(
      cuda, *made->communicator, device,
      NcclWatchdog::Duration(ranks.timeoutMilliseconds), ranks.findLoss);
  if (!watchdog)
    return watchdog.status();
  made->watchdog = std::move(*watchdog);
  if (log)
    log(LogLevel::Info,
        "ranks: rank " + std::to_string(made->communicator->rank()) + " of " +
            std::to_string(made->communicator->size()) + " over NCCL " +
            std::to_string(version) +
            (ranks.communicator ? ", the caller's communicator" : ""));
  return std::unique_ptr<Collectives>(std::move(made));
}

Status NcclCollectives::enqueue(const program::Collective &collective,
                                std::span<void *const> arguments,
                                cudaStream_t stream) {
  if (Status status = check(); !status.ok())
    return status;
  Result<ncclDataType_t> type = toNccl(collective.type(), collective.kind());
  Status status =
      type ? enqueueGroup(collective, *type, arguments, stream) : type.status();
  if (status.code() == StatusCode::InvalidProgram)
    return status;
  // Where the watchdog has aborted the group, it knows why.
  if (Status reason = check(); !status.ok() && !reason.ok())
    return reason;
  if (!status.ok())
    return makeCollectiveFailure(communicator->rank(), communicator->size(),
                                 describe(collective), status);
  remember(collective);
  return {};
}

Status NcclCollectives::enqueueGroup(const program::Collective &collective,
                                     ncclDataType_t type,
                                     std::span<void *const> arguments,
                                     cudaStream_t stream) {
  Status status;
  auto enqueueAll = [&](ncclComm_t handle) {
    ncclResult_t started = nccl.ncclGroupStart();
    if (started != ncclSuccess) {
      status = makeStatus(nccl, started, "ncclGroupStart", handle);
      return ncclSuccess;
    }
    status =
        forEachTensor(collective, arguments, [&](const ReducedTensor &tensor) {
          ncclResult_t result = nccl.ncclAllReduce(
              tensor.source, tensor.result, tensor.count, type,
              toNccl(collective.kind()), handle, stream);
          // A group's work begins at its end.
          return result == ncclInProgress
                     ? Status()
                     : makeStatus(nccl, result, "ncclAllReduce", handle);
        });
    // Ended in any case: the group is a state of the thread.
    return nccl.ncclGroupEnd();
  };
  Status ended = communicator->run(enqueueAll, "ncclGroupEnd");
  return status.ok() ? ended : status;
}

void NcclCollectives::remember(const program::Collective &collective) {
  uint64_t bytes = getBytes(collective);
  ++collectives;
  totalBytes += bytes;
  if (bytes >= largestBytes) {
    largestBytes = bytes;
    largest = describe(collective);
  }
  watchdog->describe(collectives == 1
                         ? largest
                         : std::to_string(collectives) + " collectives of " +
                               std::to_string(totalBytes) +
                               " bytes, the largest an " + largest);
}

Status NcclCollectives::launched(cudaStream_t stream) {
  return watchdog->launched(stream);
}

Status NcclCollectives::check() { return watchdog->failure(); }
