#include "mpc/Program/Costs.h"
#include "Calls/Check.h"
#include "mpc/Program/Operands.h"

using namespace mpc;
using namespace mpc::program;

/// What is read again and again by a stride of 0 is there once.
static uint64_t countBytes(const CallOperand &operand) {
  uint64_t bytes = getInfo(static_cast<DType>(operand.type())).bytes;
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           strides = toSpan(operand.strides());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (strides[dim] != 0 || shape[dim] == 0)
      bytes *= static_cast<uint64_t>(shape[dim]);
  return bytes;
}

static Cost costOf(const Call &call) {
  Cost cost;
  for (const CallOperand *operand : *call.operands())
    (operand->written() ? cost.bytesWritten : cost.bytesRead) +=
        countBytes(*operand);
  cost.flops = visitOptions(
      call, [&](const auto &options) { return countFlops(options, call); });
  return cost;
}

Cost program::getCost(const Program &program, const Record &record) {
  Cost cost;
  switch (record.kind()) {
  case RecordKind::Launch: {
    const Kernel &kernel = *program.kernels()->Get(record.target());
    return {kernel.bytes_read(), kernel.bytes_written(), 0};
  }
  case RecordKind::Call:
    return costOf(*program.calls()->Get(record.target()));
  case RecordKind::AllReduceStart:
  case RecordKind::AllReduceDone:
  case RecordKind::AllReduce: // what moves is a matter of the ranks
    return {};
  case RecordKind::Copy:
  case RecordKind::Fill:
  case RecordKind::MultiTensor:
  case RecordKind::Observe:
    break;
  }
  for (const Operand &operand : getOperands(program, record))
    (operand.written ? cost.bytesWritten : cost.bytesRead) += operand.bytes;
  return cost;
}
