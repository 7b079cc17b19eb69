#include "Platform.h"
#include "LibrarySearch.h"

using namespace mpc;
using namespace mpc::runtime;

template <typename Function>
static Status fill(const SharedLibrary &library, const char *name,
                   Function *&function) {
  Result<void *> address = library.find(name);
  if (!address)
    return address.status();
  function = reinterpret_cast<Function *>(*address);
  return {};
}

#define MPC_FILL(name)                                                         \
  if (Status status = fill(*library, #name, api.name); !status.ok())           \
    return status;

static Result<CublasLtApi> loadCublasLt() {
  Result<SharedLibrary> library = LibrarySearch().open("libcublasLt.so.13");
  if (!library)
    return library.status();
  CublasLtApi api;
  MPC_CUBLASLT_FUNCTIONS(MPC_FILL)
  return api;
}

static Result<CudnnApi> loadCudnn() {
  Result<SharedLibrary> library = LibrarySearch().open("libcudnn.so.9");
  if (!library)
    return library.status();
  CudnnApi api;
  MPC_CUDNN_FUNCTIONS(MPC_FILL)
  return api;
}

static Result<NcclApi> loadNccl() {
  Result<SharedLibrary> library = LibrarySearch().open("libnccl.so.2");
  if (!library)
    return library.status();
  NcclApi api;
  MPC_NCCL_FUNCTIONS(MPC_FILL)
#define MPC_FILL_OPTIONAL(name) (void)fill(*library, #name, api.name);
  MPC_NCCL_OPTIONAL_FUNCTIONS(MPC_FILL_OPTIONAL)
#undef MPC_FILL_OPTIONAL
  return api;
}
#undef MPC_FILL

/// The address of what was loaded.
template <typename Api>
static Result<const Api *> addressOf(const Result<Api> &loaded) {
  if (!loaded)
    return loaded.status();
  return &*loaded;
}

Result<const CublasLtApi *> runtime::openCublasLt() {
  static const Result<CublasLtApi> loaded = loadCublasLt();
  return addressOf(loaded);
}

Result<const CudnnApi *> runtime::openCudnn() {
  static const Result<CudnnApi> loaded = loadCudnn();
  return addressOf(loaded);
}

Result<const NcclApi *> runtime::openNccl() {
  static const Result<NcclApi> loaded = loadNccl();
  return addressOf(loaded);
}

const Platform &runtime::getPlatform() {
  static const Platform platform = {&getCudaApi(), openCublasLt, openCudnn,
                                    openNccl, &getNvtx()};
  return platform;
}
