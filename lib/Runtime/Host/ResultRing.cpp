#include "ResultRing.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::Tensor;
using mpc::program::toSpan;

/// Each part starts where any element type may.
static uint64_t align(uint64_t bytes) { return (bytes + 15) / 16 * 16; }

ResultRing::ResultRing(const program::Entry &entry) {
  for (uint32_t i = 0; entry.outputs() && i < entry.outputs()->size(); ++i) {
    const Tensor &output = *entry.outputs()->Get(i);
    uint64_t bytes =
        *program::getTensorBytes(output.type(), toSpan(output.shape()));
    if (bytes > Executor::kResultBytes)
      bytes = 0;
    parts.push_back({output.location(), slotBytes, bytes});
    slotBytes += align(bytes);
  }
  slots.resize(slotBytes * Executor::kResultRuns);
}

void ResultRing::keep(const EntryTable &table) {
  last = (last + 1) % Executor::kResultRuns;
  uint8_t *slot = slots.data() + last * slotBytes;
  for (const Part &part : parts)
    if (part.bytes)
      std::memcpy(slot + part.offset, table.resolve(*part.source), part.bytes);
}

std::span<const uint8_t> ResultRing::find(uint32_t index, uint32_t age) const {
  uint32_t slot = (last + Executor::kResultRuns - age) % Executor::kResultRuns;
  const Part &part = parts[index];
  return {slots.data() + slot * slotBytes + part.offset, part.bytes};
}
