#include "Library.h"
#include "../Api/CurrentDevice.h"

using namespace mpc;
using namespace mpc::runtime;

/// Of the backend that plans are made with: devices by their properties.
static constexpr size_t kOldestCudnn = 91100;

void runtime::addOperand(CudnnProblem &problem,
                         const program::CallOperand *operand) {
  if (!operand) {
    problem.push_back(-1); // no size, so that what follows is told apart
    return;
  }
  for (auto *numbers : {operand->shape(), operand->strides()})
    problem.insert(problem.end(), numbers->begin(), numbers->end());
}

CudnnLibrary::~CudnnLibrary() {
  if (!opened)
    return;
  // It synchronizes the device that is current.
  CurrentDevice current(*platform.cuda, ordinal);
  (void)functions->cudnnDestroy(opened);
}

const Status &CudnnLibrary::open() {
  if (!outcome)
    outcome = openOnce();
  return *outcome;
}

Status CudnnLibrary::openOnce() {
  Result<const CudnnApi *> library = platform.openCudnn();
  if (!library)
    return library.status();
  functions = *library;
  if (version() < kOldestCudnn)
    return {StatusCode::DeviceUnsupported,
            "expected cuDNN 9.11 or newer, but found version " +
                std::to_string(version())};
  if (Status status = makeStatus(*functions, functions->cudnnCreate(&opened),
                                 "cudnnCreate");
      !status.ok())
    return status;
  Result<Descriptor> described = describeDevice(*functions, ordinal);
  if (!described)
    return described.status();
  device = std::move(*described);
  return {};
}

const Result<Plan> &
CudnnLibrary::find(CudnnProblem problem,
                   const std::function<Result<Plan>()> &make) {
  auto found = plans.find(problem);
  if (found == plans.end())
    found = plans.emplace(std::move(problem), make()).first;
  return found->second;
}
