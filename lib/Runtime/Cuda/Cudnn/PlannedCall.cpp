#include "PlannedCall.h"

using namespace mpc;
using namespace mpc::runtime;

Status PlannedCall::bind(void *workspace) {
  for (auto [role, offset] : insideWorkspace)
    addresses[role] =
        static_cast<std::byte *>(workspace) + plan.workspaceBytes() + offset;
  Result<Descriptor> made =
      plan.bind([&](int role) { return addresses.at(role); }, workspace);
  if (!made)
    return made.status();
  bound = std::move(*made);
  boundTo = workspace;
  return {};
}

Status PlannedCall::enqueue(cudaStream_t stream, void *workspace) {
  if (!bound.get() || boundTo != workspace)
    if (Status status = bind(workspace); !status.ok())
      return status;
  const CudnnApi &api = library.api();
  if (Status status = makeStatus(
          api, api.cudnnSetStream(library.handle(), stream), "cudnnSetStream");
      !status.ok())
    return status;
  return plan.enqueue(library.handle(), bound);
}
