#include "mpc/Runtime/Collective.h"

#include "mpc/Support/DType.h"

using namespace mpc;
using namespace mpc::runtime;
using program::ReduceKind;

static const char *nameKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return "sum";
  case ReduceKind::Average:
    return "average";
  case ReduceKind::Max:
    return "maximum";
  }
  return "unknown";
}

uint64_t runtime::getBytes(const program::Collective &collective) {
  uint64_t elements = 0;
  for (uint64_t count : program::toSpan(collective.counts()))
    elements += count;
  return elements * getInfo(static_cast<DType>(collective.type())).bytes;
}

std::string runtime::describe(const program::Collective &collective) {
  size_t tensors = program::toSpan(collective.counts()).size();
  return std::string("all-reduce (") + nameKind(collective.kind()) + ") of " +
         std::to_string(tensors) + (tensors == 1 ? " tensor, " : " tensors, ") +
         std::to_string(getBytes(collective)) + " bytes of " +
         std::string(mpc::getInfo(static_cast<DType>(collective.type())).name);
}

Status runtime::makeCollectiveFailure(uint32_t rank, uint32_t size,
                                      const std::string &what,
                                      const Status &why) {
  return {why.code(), "rank " + std::to_string(rank) + " of " +
                          std::to_string(size) + ": " + what + ": " +
                          why.message()};
}
