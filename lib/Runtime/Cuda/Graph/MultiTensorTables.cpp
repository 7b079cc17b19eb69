#include "MultiTensorTables.h"

using namespace mpc;
using namespace mpc::runtime;
using program::RecordKind;

static uint64_t align(uint64_t bytes) {
  return (bytes + program::kAlignment - 1) / program::kAlignment *
         program::kAlignment;
}

static kernels::MultiTensor translate(const program::MultiTensor &op) {
  kernels::MultiTensor made;
  made.kind = static_cast<kernels::Kind>(op.kind());
  made.gradientType = static_cast<DType>(op.gradient_type());
  if (op.has_copies())
    made.copyType = static_cast<DType>(op.copy_type());
  made.hasFoundInf = op.has_found_inf();
  made.hasScale = op.has_scale();
  made.hasCoefficient = op.has_coefficient();
  made.beta1 = op.beta1();
  made.beta2 = op.beta2();
  made.epsilon = op.epsilon();
  made.weightDecay = op.weight_decay();
  made.momentum = op.momentum();
  made.nesterov = op.nesterov();
  return made;
}

uint64_t MultiTensorTables::bytes(const program::Program &program,
                                  uint32_t multiprocessors) {
  uint64_t total = 0;
  for (uint32_t i = 0; program.entries() && i < program.entries()->size();
       ++i) {
    const program::Entry &entry = *program.entries()->Get(i);
    for (uint32_t k = 0; entry.records() && k < entry.records()->size(); ++k) {
      const program::Record &record = *entry.records()->Get(k);
      if (record.kind() != RecordKind::MultiTensor)
        continue;
      const auto &op = *program.multi_tensors()->Get(record.target());
      total += align(kernels::maxTableBytes(
          translate(op), program::toSpan(op.counts()), multiprocessors));
    }
  }
  return total;
}

Result<std::shared_ptr<kernels::Launch>>
MultiTensorTables::add(const program::MultiTensor &op,
                       std::span<void *const> arguments) {
  Result<kernels::Launch> planned = kernels::plan(
      translate(op), program::toSpan(op.counts()), arguments, multiprocessors);
  if (!planned)
    return planned.status();
  auto launch = std::make_shared<kernels::Launch>(std::move(*planned));
  uint64_t bytes = launch->table.size();
  if (bytes > static_cast<uint64_t>(end - next))
    return Status(StatusCode::Internal, "a table of " + std::to_string(bytes) +
                                            " bytes does not fit in the " +
                                            std::to_string(end - next) +
                                            " that were planned");
  if (bytes)
    if (auto error = api.cudaMemcpyAsync(next, launch->table.data(), bytes,
                                         cudaMemcpyHostToDevice, stream))
      return makeStatus(api, error, "cudaMemcpyAsync of a table");
  launch->setTable(next);
  next += align(bytes);
  return launch;
}
