// FlatBuffers checks that the length of a vector is aligned, not its elements:
// those of 8 bytes may lie at a multiple of 4 in a damaged file.
#include "Verifier.h"

using namespace mpc;
using namespace mpc::program;

static bool isAt(const void *data, uintptr_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

/// Absent and empty vectors are read by nobody.
template <typename T>
static bool isAligned(const flatbuffers::Vector<T> *list) {
  return !list || list->size() == 0 || isAt(list->Data(), 8);
}

static bool isAligned(const Call &call) {
  bool aligned = true;
  for (const CallOperand *operand : each(call.operands()))
    aligned &= isAligned(operand->shape()) && isAligned(operand->strides());
  return aligned;
}

static bool isAligned(const OldMatmul &matmul) {
  return isAligned(matmul.lhs_shape()) && isAligned(matmul.rhs_shape()) &&
         isAligned(matmul.result_shape());
}

static bool isAligned(const Entry &entry) {
  bool aligned = isAligned(entry.args()) && isAligned(entry.records());
  for (const Tensor *input : each(entry.inputs()))
    aligned &= isAligned(input->shape());
  for (const Tensor *output : each(entry.outputs()))
    aligned &= isAligned(output->shape());
  return aligned;
}

/// Kernels count on it.
static bool areConstantsAligned(const Program &program) {
  constexpr uintptr_t alignment = 64;
  return !program.constants() || program.constants()->size() == 0 ||
         isAt(program.constants()->Data(), alignment);
}

Status program::verifyAlignment(const Program &program) {
  bool aligned = areConstantsAligned(program);
  for (const State *state : each(program.states()))
    aligned &= isAligned(state->shape());
  for (const Entry *entry : each(program.entries()))
    aligned &= isAligned(*entry);
  for (const Kernel *kernel : each(program.kernels()))
    aligned &= isAligned(kernel->arg_bytes());
  for (const OldMatmul *matmul : each(program.old_matmuls()))
    aligned &= isAligned(*matmul);
  for (const Call *call : each(program.calls()))
    aligned &= isAligned(*call);
  for (const Collective *collective : each(program.collectives()))
    aligned &= isAligned(collective->counts());
  for (const MultiTensor *operation : each(program.multi_tensors()))
    aligned &= isAligned(operation->counts());
  for (const Probe *probe : each(program.probes()))
    aligned &= isAligned(probe->shape());
  if (aligned)
    return {};
  return {StatusCode::Corrupt,
          "a list of numbers is not aligned to their size; compile the model "
          "again"};
}
