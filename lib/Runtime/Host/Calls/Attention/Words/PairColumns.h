// Columns of pairs for products by vectors: what stands next to each other in a
// row of words along the width is multiplied at a time.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PAIRCOLUMNS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PAIRCOLUMNS_H

#include "Pairs.h"

namespace {
inline int64_t countColumnWords(int64_t count, int64_t width) {
  return (count + 1) / 2 * width;
}
/// Beside a last row without a neighbour stands 0.
inline Left viewColumns(Left rows, int64_t count, int64_t width, Word *buffer) {
  auto row = [&](int64_t t) {
    return reinterpret_cast<const uint16_t *>(rows.data + t * rows.row);
  };
  for (int64_t t = 0; t + 1 < count; t += 2)
    interleaveRows(row(t), row(t + 1), width, buffer + t / 2 * width);
  if (count % 2)
    spaceRow(row(count - 1), width, buffer + count / 2 * width);
  return {reinterpret_cast<const char *>(buffer), 4, 4 * width};
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PAIRCOLUMNS_H
