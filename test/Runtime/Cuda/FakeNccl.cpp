#include "FakeNccl.h"

#include "FakeBlasMath.h"
#include "ProcessRanks.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;

static FakeNccl *current = nullptr;

namespace {
struct Communicator {
  int rank, size;
  std::shared_ptr<ProcessRanks> processes = nullptr;
};

struct Type {
  const char *name;
  uint64_t bytes;
};
Type typeOf(ncclDataType_t type) {
  switch (type) {
  case ncclUint8:
    return {"u8", 1};
  case ncclInt32:
    return {"i32", 4};
  case ncclInt64:
    return {"i64", 8};
  case ncclFloat16:
    return {"f16", 2};
  case ncclFloat32:
    return {"f32", 4};
  case ncclFloat64:
    return {"f64", 8};
  case ncclBfloat16:
    return {"bf16", 2};
  case ncclFloat8e4m3:
    return {"f8e4m3", 1};
  case ncclFloat8e5m2:
    return {"f8e5m2", 1};
  default:
    return {"unknown", 0};
  }
}
const char *nameOf(ncclRedOp_t op) {
  return op == ncclSum   ? "sum"
         : op == ncclAvg ? "average"
         : op == ncclMax ? "maximum"
                         : "unknown";
}

Communicator &as(ncclComm_t handle) {
  return *reinterpret_cast<Communicator *>(handle);
}

cudaDataType_t realOf(ncclDataType_t type) {
  return type == ncclFloat64   ? CUDA_R_64F
         : type == ncclFloat32 ? CUDA_R_32F
         : type == ncclFloat16 ? CUDA_R_16F
                               : CUDA_R_16BF;
}

/// The sum over `size` equal ranks, in the types that programs add.
void add(const void *source, void *result, uint64_t count, ncclDataType_t type,
         int size) {
  auto scale = [&](auto zero) {
    auto *from = static_cast<const decltype(zero) *>(source);
    auto *to = static_cast<decltype(zero) *>(result);
    for (uint64_t i = 0; i < count; ++i)
      to[i] = from[i] * static_cast<decltype(zero)>(size);
  };
  if (type == ncclInt32)
    return scale(int32_t());
  if (type == ncclInt64)
    return scale(int64_t());
  cudaDataType_t real = realOf(type);
  for (uint64_t i = 0; i < count; ++i)
    store(real, result, static_cast<int64_t>(i),
          load(real, source, static_cast<int64_t>(i)) * size);
}

/// Sums and averages of processes, of types that gradients have.
ncclResult_t addAmong(ProcessRanks &ranks, const void *source, void *result,
                      uint64_t count, ncclDataType_t type, ncclRedOp_t op) {
  bool isReal = type == ncclFloat16 || type == ncclBfloat16 ||
                type == ncclFloat32 || type == ncclFloat64;
  if (!isReal || (op != ncclSum && op != ncclAvg))
    return ncclInvalidArgument;
  ranks.allReduce(
      source, result, count, typeOf(type).bytes,
      [&](const std::vector<const void *> &sources, void *to, uint64_t part) {
        double divisor =
            op == ncclAvg ? static_cast<double>(sources.size()) : 1;
        for (int64_t i = 0; i < static_cast<int64_t>(part); ++i) {
          double sum = 0;
          for (const void *each : sources)
            sum += load(realOf(type), each, i);
          store(realOf(type), to, i, sum / divisor);
        }
      });
  return ncclSuccess;
}
} // namespace

namespace mpc::runtime::fake {
/// The functions of the table.
struct FakeNcclCalls {
  /// A call on a communicator. What a question for errors finds done it frees,
  /// so NCCL wants one thread at a time (ncclCommGetAsyncError in its init.cc,
  /// ncclGroupJobComplete in group.cc); and a communicator that is there.
  class Use {
  public:
    explicit Use(ncclComm_t handle) {
      bool alone = current->inside.fetch_add(1) == 0;
      std::lock_guard<std::mutex> lock(current->mutex);
      allowed = alone && current->alive.contains(handle);
      current->misuses += !allowed;
    }
    ~Use() { --current->inside; }
    explicit operator bool() const { return allowed; }

  private:
    bool allowed;
  };

  static ncclResult_t note(const char *name, const std::string &detail = "") {
    {
      std::lock_guard<std::mutex> lock(current->mutex);
      current->log.push_back(name + detail);
    }
    return current->interfere ? current->interfere(name) : ncclSuccess;
  }
  /// What a call that goes on in the background answers.
  static ncclResult_t begin() {
    current->left = current->patience;
    return current->left ? ncclInProgress : ncclSuccess;
  }

  static ncclResult_t getVersion(int *version) {
    *version = 22809;
    return note("ncclGetVersion");
  }
  static const char *errorString(ncclResult_t result) {
    return result == ncclSystemError     ? "unhandled system error"
           : result == ncclRemoteError   ? "remote process exited"
           : result == ncclInternalError ? "internal error"
                                         : "another error";
  }
  static const char *lastError(ncclComm_t) { return "the cable is loose"; }
  static ncclResult_t uniqueId(ncclUniqueId *id) {
    std::memset(id->internal, 7, sizeof(id->internal));
    if (current->amongProcesses) {
      std::string name = ProcessRanks::makeName();
      std::memcpy(id->internal, name.c_str(), name.size() + 1);
    }
    return note("ncclGetUniqueId");
  }
  static ncclResult_t init(ncclComm_t *handle, int size, ncclUniqueId id,
                           int rank, ncclConfig_t *config) {
    if (ncclResult_t answer =
            note("ncclCommInitRankConfig",
                 " " + std::to_string(rank) + " of " + std::to_string(size)))
      return answer;
    if (id.internal[127] != 7)
      return ncclInvalidArgument;
    current->blocking = config->blocking;
    *handle = current->makeCommunicator(rank, size);
    if (current->amongProcesses)
      as(*handle).processes = ProcessRanks::join(id.internal, rank, size);
    if (current->amongProcesses && !as(*handle).processes)
      return ncclSystemError;
    return begin();
  }
  static ncclResult_t asyncError(ncclComm_t handle, ncclResult_t *state) {
    ++current->questions;
    Use use(handle);
    if (!use)
      return ncclInvalidUsage;
    if (current->onQuestion)
      current->onQuestion();
    if (current->asyncError != ncclSuccess)
      *state = current->asyncError;
    else if (current->left == 0)
      *state = ncclSuccess;
    else {
      *state = ncclInProgress;
      current->left -= current->left > 0;
    }
    return ncclSuccess;
  }
  static ncclResult_t finalize(ncclComm_t handle) {
    Use use(handle);
    if (!use)
      return ncclInvalidUsage;
    if (ncclResult_t answer = note("ncclCommFinalize"))
      return answer;
    return begin();
  }
  /// Frees it; what is used of it from now on is a misuse.
  static bool release(ncclComm_t handle) {
    if (Use use(handle); !use)
      return false;
    std::lock_guard<std::mutex> lock(current->mutex);
    current->alive.erase(handle);
    delete &as(handle);
    --current->live;
    return true;
  }
  static ncclResult_t destroy(ncclComm_t handle) {
    return release(handle) ? note("ncclCommDestroy") : ncclInvalidUsage;
  }
  static ncclResult_t abort(ncclComm_t handle) {
    if (auto processes = as(handle).processes)
      processes->abort();
    if (!release(handle))
      return ncclInvalidUsage;
    ++current->aborted;
    return note("ncclCommAbort");
  }
  static ncclResult_t revoke(ncclComm_t, int) {
    ++current->revoked;
    return note("ncclCommRevoke");
  }
  static ncclResult_t count(ncclComm_t handle, int *count) {
    *count = as(handle).size;
    return note("ncclCommCount");
  }
  static ncclResult_t userRank(ncclComm_t handle, int *rank) {
    *rank = as(handle).rank;
    return note("ncclCommUserRank");
  }
  static ncclResult_t groupStart() {
    if (ncclResult_t answer = note("ncclGroupStart"))
      return answer;
    ++current->openGroups;
    return ncclSuccess;
  }
  static ncclResult_t groupEnd() {
    --current->openGroups;
    if (ncclResult_t answer = note("ncclGroupEnd"))
      return answer;
    return begin();
  }
  static ncclResult_t allReduce(const void *source, void *result, size_t count,
                                ncclDataType_t type, ncclRedOp_t op,
                                ncclComm_t handle, cudaStream_t stream) {
    Use use(handle);
    if (!use)
      return ncclInvalidUsage;
    if (ncclResult_t answer =
            note("ncclAllReduce", std::string(" ") + typeOf(type).name + " " +
                                      nameOf(op) + " " + std::to_string(count)))
      return answer;
    if (current->openGroups != 1 || typeOf(type).bytes == 0)
      return ncclInvalidUsage;
    current->submit(
        stream, [=, size = as(handle).size, processes = as(handle).processes] {
          if (processes)
            (void)addAmong(*processes, source, result, count, type, op);
          else if (op == ncclSum)
            add(source, result, count, type, size);
          else if (source != result)
            std::memcpy(result, source, count * typeOf(type).bytes);
        });
    return ncclSuccess;
  }
};
} // namespace mpc::runtime::fake

ncclComm_t FakeNccl::makeCommunicator(int rank, int size) {
  ++live;
  auto made = reinterpret_cast<ncclComm_t>(new Communicator{rank, size});
  std::lock_guard<std::mutex> lock(mutex);
  alive.insert(made);
  return made;
}

std::vector<std::string> FakeNccl::calls() const {
  std::lock_guard<std::mutex> lock(mutex);
  return log;
}

FakeNccl::FakeNccl() {
  using Calls = FakeNcclCalls;
  current = this;
  submit = [](cudaStream_t, std::function<void()> work) { work(); };
  table.ncclGetVersion = Calls::getVersion;
  table.ncclGetErrorString = Calls::errorString;
  table.ncclGetLastError = Calls::lastError;
  table.ncclGetUniqueId = Calls::uniqueId;
  table.ncclCommInitRankConfig = Calls::init;
  table.ncclCommGetAsyncError = Calls::asyncError;
  table.ncclCommFinalize = Calls::finalize;
  table.ncclCommDestroy = Calls::destroy;
  table.ncclCommAbort = Calls::abort;
  table.ncclCommRevoke = Calls::revoke;
  table.ncclCommCount = Calls::count;
  table.ncclCommUserRank = Calls::userRank;
  table.ncclGroupStart = Calls::groupStart;
  table.ncclGroupEnd = Calls::groupEnd;
  table.ncclAllReduce = Calls::allReduce;
}

FakeNccl::~FakeNccl() { current = nullptr; }
