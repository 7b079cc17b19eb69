// Best fit, largest first: big buffers decide the arena and are placed while it
// is empty; small ones fill the gaps that they leave in time and space.
#include "Planning.h"
#include "mlir/IR/Builders.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"

using namespace mpc;
using namespace mpc::exec;

namespace {

struct Placed {
  int64_t offset, bytes, first, last;
};

/// The start of the smallest gap that fits `buffer` between the buffers of
/// `placed` (ascending by offset) that live at the same time.
int64_t findGap(const LiveBuffer &buffer, ArrayRef<Placed> placed) {
  int64_t best = -1, bestSize = INT64_MAX, end = 0;
  for (const Placed &other : placed) {
    if (other.first > buffer.last || other.last < buffer.first)
      continue;
    int64_t gap = other.offset - end;
    if (gap >= buffer.bytes && gap < bestSize) {
      best = end;
      bestSize = gap;
    }
    end = std::max(end, other.offset + other.bytes);
  }
  return best >= 0 ? best : end;
}

/// Erases `buffer`, which no step and no output touches, and what views it.
void eraseUntouched(Operation *buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
    eraseUntouched(user);
  buffer->erase();
}

} // namespace

void exec::placeBuffers(EntryOp entry) {
  Liveness liveness(entry);
  SmallVector<LiveBuffer> buffers;
  for (const LiveBuffer &live : liveness.buffers())
    if (live.last < 0)
      eraseUntouched(live.alloc);
    else
      buffers.push_back(live);
  llvm::sort(buffers, [](const LiveBuffer &a, const LiveBuffer &b) {
    return std::tuple(-a.bytes, a.first, a.last) <
           std::tuple(-b.bytes, b.first, b.last);
  });

  Builder builder(entry.getContext());
  SmallVector<Placed> placed;
  int64_t arena = 0;
  for (LiveBuffer &buffer : buffers) {
    int64_t offset = findGap(buffer, placed);
    Placed entryOf{offset, buffer.bytes, buffer.first, buffer.last};
    auto at = llvm::upper_bound(
        placed, entryOf,
        [](const Placed &a, const Placed &b) { return a.offset < b.offset; });
    placed.insert(at, entryOf);
    buffer.alloc.setOffsetAttr(builder.getI64IntegerAttr(offset));
    arena = std::max(arena, offset + buffer.bytes);
  }
  entry.setArenaAttr(builder.getI64IntegerAttr(arena));
}
