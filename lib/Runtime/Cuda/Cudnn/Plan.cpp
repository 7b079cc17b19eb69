#include "Plan.h"

#include <algorithm>

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

/// What the proposals of a graph are chosen by, and what became of them.
struct Plan::Choice {
  const Descriptor &device, &built;
  const RefusedNotes &refused;
  int engines = 0; ///< that were refused
  Status lastFailure;

  Status getFailure() const;
};

Status Plan::Choice::getFailure() const {
  if (!lastFailure.ok())
    return lastFailure;
  return {StatusCode::LibraryError,
          engines == 0
              ? "no engine was proposed"
              : "none is left of " + std::to_string(engines) +
                    " engines, whose numbers are not what is promised"};
}

/// Whether nothing is noted of a proposal's engine that is refused.
static Result<bool> isAllowed(const Descriptor &proposal,
                              const RefusedNotes &refused) {
  if (refused.empty())
    return true;
  auto engines = proposal.readList(CUDNN_ATTR_ENGINECFG_ENGINE,
                                   CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  if (!engines)
    return engines.status();
  for (const Descriptor &engine : *engines) {
    auto notes = engine.readNotes();
    if (!notes)
      return notes.status();
    for (cudnnBackendNumericalNote_t note : *notes)
      if (std::ranges::count(refused, note) != 0)
        return false;
  }
  return true;
}

Result<bool> Plan::choose(cudnnBackendHeurMode_t mode, Choice &choice) {
  Result<Descriptor> heuristic =
      DescriptorBuilder(*api, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
                        "a heuristic")
          .set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, choice.built)
          .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
          .set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, choice.device)
          .finish();
  if (!heuristic)
    return heuristic.status();
  auto proposals = heuristic->readList(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  if (!proposals)
    return proposals.status();
  for (const Descriptor &proposal : *proposals) {
    Result<bool> allowed = isAllowed(proposal, choice.refused);
    if (!allowed)
      return allowed.status();
    if (!*allowed) {
      ++choice.engines;
      continue;
    }
    Result<Descriptor> made =
        DescriptorBuilder(*api, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
                          "a plan")
            .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, proposal)
            .set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, choice.device)
            .finish();
    if (!made) {
      choice.lastFailure = made.status();
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
                        Graph graph, const RefusedNotes &refused) {
  Plan made(api, std::move(graph));
  Result<Descriptor> built = made.computed.build(api);
  if (!built)
    return built.status();
  Choice choice{device, *built, refused, 0, {}};
  for (cudnnBackendHeurMode_t mode :
       {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    Result<bool> chosen = made.choose(mode, choice);
    if (!chosen)
      choice.lastFailure = chosen.status();
    else if (*chosen)
      return made;
  }
  return choice.getFailure();
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
