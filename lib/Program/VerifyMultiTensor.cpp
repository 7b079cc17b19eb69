// Semantic checks of operations on lists of tensors.
#include "Verifier.h"

#include <cmath>

using namespace mpc;
using namespace mpc::program;

static bool isHalf(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16;
}

Status Verifier::checkMultiTensor(const MultiTensor &operation,
                                  size_t index) const {
  std::string who = "multi-tensor operation " + std::to_string(index);
  if (!isForGpu())
    return fail(who + ": needs target 'cuda'");
  if (!isKnown(operation.kind()))
    return fail(who + ": unknown kind");
  size_t tensors = toSpan(operation.counts()).size();
  if (tensors == 0 || tensors > UINT16_MAX) // of the arguments of a record
    return fail(who + ": expected 1 to 65535 tensors, but got " +
                std::to_string(tensors));
  for (uint64_t count : toSpan(operation.counts()))
    if (count > kMaxBytes / 8)
      return fail(who + ": too many elements");
  if (operation.gradient_type() != ElementType::F32 &&
      !isHalf(operation.gradient_type()))
    return fail(who + ": expected gradients of f32, f16 or bf16");
  if (operation.has_copies() && !isHalf(operation.copy_type()))
    return fail(who + ": expected copies of f16 or bf16");
  bool norm = operation.kind() == MultiTensorKind::UnscaleL2Norm;
  if (norm && (operation.has_copies() || operation.has_found_inf() ||
               operation.has_coefficient()))
    return fail(who + ": a norm takes a scale at most");
  for (double value :
       {operation.beta1(), operation.beta2(), operation.epsilon(),
        operation.weight_decay(), operation.momentum()})
    if (!std::isfinite(value))
      return fail(who + ": expected finite numbers");
  return {};
}
