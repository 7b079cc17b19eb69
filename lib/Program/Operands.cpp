#include "mpc/Program/Operands.h"
#include "mpc/Program/Calls.h"
#include "mpc/Support/Observation.h"

using namespace mpc;
using namespace mpc::program;

static uint64_t width(ElementType type) {
  return getInfo(static_cast<DType>(type)).bytes;
}

static std::vector<Operand> launchOperands(const Kernel &kernel) {
  std::span<const uint64_t> reach = toSpan(kernel.arg_bytes());
  std::vector<Operand> operands;
  for (size_t i = 0; i < reach.size(); ++i)
    operands.push_back({reach[i], i + kernel.num_results() >= reach.size()});
  return operands;
}

std::vector<Operand> program::getOperands(const Call &call) {
  std::vector<Operand> operands;
  for (uint32_t i = 0; call.operands() && i < call.operands()->size(); ++i) {
    const CallOperand &operand = *call.operands()->Get(i);
    operands.push_back(
        {getReach(operand), operand.written(), width(operand.type())});
  }
  return operands;
}

static std::vector<Operand> allReduceOperands(const Collective &collective) {
  std::vector<Operand> operands;
  for (uint64_t count : toSpan(collective.counts())) {
    uint64_t element = width(collective.type());
    operands.push_back({count * element, false, element});
    operands.push_back({count * element, true, element});
  }
  return operands;
}

namespace {
/// Collects the lists of a multi-tensor operation.
struct Lists {
  explicit Lists(const MultiTensor &op) : counts(toSpan(op.counts())) {}

  void scalar(bool present, uint64_t bytes, bool written = false) {
    if (present)
      operands.push_back({bytes, written, bytes});
  }
  void tensors(bool present, ElementType type, bool written = false) {
    for (uint64_t count : counts)
      if (present)
        operands.push_back({count * width(type), written, width(type)});
  }

  std::span<const uint64_t> counts;
  std::vector<Operand> operands;
};
} // namespace

static std::vector<Operand> multiTensorOperands(const MultiTensor &op) {
  constexpr uint64_t flag = 1, word = 4;
  Lists lists(op);
  if (op.kind() == MultiTensorKind::UnscaleL2Norm) {
    lists.scalar(op.has_scale(), word);
    lists.tensors(true, op.gradient_type());
    lists.scalar(true, flag, true);
    lists.scalar(true, word, true);
    return std::move(lists.operands);
  }
  bool adam = op.kind() == MultiTensorKind::AdamW;
  bool moments = adam || op.momentum() != 0;
  lists.scalar(op.has_found_inf(), flag);
  lists.scalar(op.has_scale(), word);
  lists.scalar(op.has_coefficient(), word);
  lists.scalar(true, word); // learning rate
  lists.scalar(adam, word); // step
  lists.tensors(true, ElementType::F32);
  lists.tensors(true, op.gradient_type());
  for (bool written : {false, true}) {
    lists.tensors(written, ElementType::F32, written); // parameters
    lists.tensors(moments, ElementType::F32, written);
    lists.tensors(adam, ElementType::F32, written);
  }
  lists.tensors(op.has_copies(), op.copy_type(), true);
  return std::move(lists.operands);
}

std::vector<Operand> program::getOperands(const Program &program,
                                          const Record &record) {
  switch (record.kind()) {
  case RecordKind::Launch:
    return launchOperands(*program.kernels()->Get(record.target()));
  case RecordKind::Call:
    return getOperands(*program.calls()->Get(record.target()));
  case RecordKind::AllReduce:
  case RecordKind::AllReduceStart:
  case RecordKind::AllReduceDone:
    return allReduceOperands(*program.collectives()->Get(record.target()));
  case RecordKind::MultiTensor:
    return multiTensorOperands(*program.multi_tensors()->Get(record.target()));
  case RecordKind::Observe: {
    uint64_t element = width(static_cast<ElementType>(record.target()));
    return {{record.extent() * element, false, element},
            {kObservedNumbers * sizeof(double), true, sizeof(double)}};
  }
  case RecordKind::Copy:
    return {{record.extent(), false}, {record.extent(), true}};
  case RecordKind::Fill:
    return {{record.extent(), true}};
  }
  return {};
}
