#include "Plan.h"

using namespace mpc;
using namespace mpc::runtime;

Result<Descriptor> runtime::describeDevice(const CudnnApi &api,
                                           int32_t ordinal) {
  return DescriptorBuilder(api, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, "a device")
      .set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, ordinal)
      .finish();
}

Result<Descriptor> runtime::describeDevice(const CudnnApi &api,
                                           std::string_view properties) {
  return DescriptorBuilder(api, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR,
                           "a device's properties")
      .set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
           std::span<const char>(properties))
      .finish();
}

Result<bool> Plan::choose(const Descriptor &device, const Descriptor &built,
                          cudnnBackendHeurMode_t mode, Status &lastFailure) {
  Result<Descriptor> heuristic =
      DescriptorBuilder(*api, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
                        "a heuristic")
          .set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, built)
          .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
          .set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device)
          .finish();
  if (!heuristic)
    return heuristic.status();
  auto proposals = heuristic->readList(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  if (!proposals)
    return proposals.status();
  for (const Descriptor &proposal : *proposals) {
    Result<Descriptor> made =
        DescriptorBuilder(*api, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
                          "a plan")
            .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, proposal)
            .set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device)
            .finish();
    if (!made) {
      lastFailure = made.status();
      continue;
    }
    Result<int64_t> bytes =
        made->readNumber(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    if (!bytes)
      return bytes.status();
    plan = std::move(*made);
    workspace = static_cast<uint64_t>(*bytes);
    return true;
  }
  return false;
}

Result<Plan> Plan::make(const CudnnApi &api, const Descriptor &device,
                        Graph graph) {
  Plan made(api, std::move(graph));
  Result<Descriptor> built = made.computed.build(api);
  if (!built)
    return built.status();
  Status lastFailure(StatusCode::LibraryError, "no engine was proposed");
  for (cudnnBackendHeurMode_t mode :
       {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    Result<bool> chosen = made.choose(device, *built, mode, lastFailure);
    if (!chosen)
      lastFailure = chosen.status();
    else if (*chosen)
      return made;
  }
  return lastFailure;
}

Result<Descriptor> Plan::bind(const std::function<void *(int role)> &locate,
                              void *workspace) const {
  std::vector<int64_t> names;
  std::vector<void *> pointers;
  for (auto [name, role] : computed.memories()) {
    names.push_back(name);
    pointers.push_back(locate(role));
  }
  for (auto [name, value] : computed.scalars()) {
    names.push_back(name);
    pointers.push_back(const_cast<float *>(value));
  }
  return DescriptorBuilder(*api, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
                           "addresses")
      .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span<const int64_t>(names))
      .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
           std::span<void *const>(pointers))
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace)
      .finish();
}

Status Plan::enqueue(cudnnHandle_t handle, const Descriptor &bound) const {
  return makeStatus(*api,
                    api->cudnnBackendExecute(handle, plan.get(), bound.get()),
                    "cudnnBackendExecute");
}
