#include "mpc/Dialect/Exec/Analysis/Placement.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <random>
#include <tuple>

using namespace mpc;
using namespace mpc::exec;

Peak Peak::of(ArrayRef<Lifetime> buffers) {
  int64_t end = 0;
  for (const Lifetime &buffer : buffers)
    end = std::max(end, buffer.last + 1);
  SmallVector<int64_t> change(end + 1, 0);
  for (const Lifetime &buffer : buffers)
    if (buffer.first >= 0) {
      change[buffer.first] += buffer.bytes;
      change[buffer.last + 1] -= buffer.bytes;
    }
  Peak peak;
  int64_t bytes = 0;
  for (auto [time, delta] : llvm::enumerate(change)) {
    bytes += delta;
    if (bytes > peak.bytes)
      peak = {bytes, static_cast<int64_t>(time)};
  }
  return peak;
}

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
// Of looks at a placed buffer, by orders after the first: a tenth of a second.
constexpr int64_t kMostWork = int64_t(1) << 26;
// The same for moves to anywhere, which are many where buffers are few.
constexpr int64_t kMostWandering = int64_t(1) << 23;
constexpr unsigned kMostMoves = 256;

class Placer {
public:
  explicit Placer(ArrayRef<Lifetime> buffers)
      : buffers(buffers), peak(Peak::of(buffers)) {}

  Placement run();

private:
  struct Placed {
    int64_t begin, end, first, last;
  };
  using Order = SmallVector<unsigned>;

  template <typename Key> Order sortedBy(Key key) const;
  template <typename Key> void consider(StringRef name, Key key);
  template <typename Key> void considerPeak(StringRef name, Key key);
  bool isDone() const {
    return best.bytes == peak.bytes ||
           (!best.order.empty() && work > kMostWork);
  }
  size_t tryOrder(StringRef name, const Order &order);
  int64_t findGap(const Lifetime &buffer);
  void moveMisfits();
  void wander();
  size_t findBlocking(const Order &order, size_t position) const;

  ArrayRef<Lifetime> buffers;
  Peak peak;
  int64_t work = 0;
  Placement best{{}, kNone, ""};
  Order bestOrder;
  SmallVector<Placed> placed; ///< Of the order at hand, by `begin`.
};

} // namespace

template <typename Key> Placer::Order Placer::sortedBy(Key key) const {
  Order order = llvm::to_vector(llvm::seq(0u, unsigned(buffers.size())));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(key(buffers[a]), a) < std::pair(key(buffers[b]), b);
  });
  return order;
}

/// The start of the smallest gap that fits `buffer` between those that live at
/// the same time; the first of them.
int64_t Placer::findGap(const Lifetime &buffer) {
  int64_t found = -1, size = kNone, end = 0;
  const Placed *other = placed.begin();
  for (; other != placed.end() && size != buffer.bytes; ++other) {
    if (other->first > buffer.last || other->last < buffer.first)
      continue;
    int64_t gap = other->begin - end;
    if (gap >= buffer.bytes && gap < size) {
      found = end;
      size = gap;
    }
    end = std::max(end, other->end);
  }
  work += other - placed.begin();
  return found >= 0 ? found : end;
}

/// Keeps it if it needs less than what was tried before. Else the answer is the
/// position of the first buffer that ends no lower than that.
size_t Placer::tryOrder(StringRef name, const Order &order) {
  SmallVector<int64_t> offsets(buffers.size());
  int64_t bytes = 0;
  placed.clear();
  for (auto [position, number] : llvm::enumerate(order)) {
    const Lifetime &buffer = buffers[number];
    int64_t begin = findGap(buffer), end = begin + buffer.bytes;
    bytes = std::max(bytes, end);
    if (bytes >= best.bytes)
      return position;
    auto *at = llvm::upper_bound(
        placed, begin,
        [](int64_t value, const Placed &other) { return value < other.begin; });
    placed.insert(at, {begin, end, buffer.first, buffer.last});
    offsets[number] = begin;
  }
  best = {std::move(offsets), bytes, name};
  bestOrder = order;
  return order.size();
}

/// The place in `order` of the first buffer that lives while that at `position`
/// does; `position` itself if it is the first.
size_t Placer::findBlocking(const Order &order, size_t position) const {
  const Lifetime &own = buffers[order[position]];
  for (size_t at = 0; at < position; ++at) {
    const Lifetime &other = buffers[order[at]];
    if (other.first <= own.last && other.last >= own.first)
      return at;
  }
  return position;
}

/// What ends too high was placed too late: it goes in front of the first that
/// was in its way.
void Placer::moveMisfits() {
  Order order = bestOrder;
  for (unsigned count = 0; count < kMostMoves && !isDone(); ++count) {
    size_t misfit = tryOrder("moved", order);
    if (misfit == order.size())
      continue;
    size_t blocking = findBlocking(order, misfit);
    std::rotate(order.begin() + blocking, order.begin() + misfit,
                order.begin() + misfit + 1);
  }
}

/// Small models lose a buffer's size where large ones lose a hundredth of one:
/// what ends too high goes to any place before, the same ones each time, and on
/// from there.
void Placer::wander() {
  Order order = bestOrder;
  std::minstd_rand random;
  for (int64_t end = work + kMostWandering; work < end && !isDone();) {
    size_t misfit = tryOrder("wandered", order);
    if (misfit == order.size())
      continue;
    size_t to = random() % (misfit + 1);
    std::rotate(order.begin() + to, order.begin() + misfit,
                order.begin() + misfit + 1);
  }
}

template <typename Key> void Placer::consider(StringRef name, Key key) {
  if (!isDone())
    tryOrder(name, sortedBy(key));
}

/// First what lives at the peak, by `key`: that fills the block without a gap,
/// whatever the order. Then the rest, which shares this memory, by size.
template <typename Key> void Placer::considerPeak(StringRef name, Key key) {
  consider(name, [&](const Lifetime &b) {
    bool isAtPeak = b.first <= peak.time && peak.time <= b.last;
    return std::tuple(!isAtPeak, isAtPeak ? key(b) : -b.bytes, -b.bytes,
                      b.first);
  });
}

Placement Placer::run() {
  using Key = std::tuple<int64_t, int64_t, int64_t>;
  auto lifetimeOf = [](const Lifetime &buffer) {
    return buffer.last - buffer.first + 1;
  };
  consider("size",
           [](const Lifetime &b) { return Key(-b.bytes, b.first, b.last); });
  considerPeak("peak by size", [](const Lifetime &b) { return -b.bytes; });
  considerPeak("peak by lifetime",
               [&](const Lifetime &b) { return -lifetimeOf(b); });
  considerPeak("peak by start", [](const Lifetime &b) { return b.first; });
  consider("start",
           [](const Lifetime &b) { return Key(b.first, -b.bytes, b.last); });
  consider("area", [&](const Lifetime &b) {
    // As a real number: the product may be beyond 64 bits.
    return std::tuple(-double(b.bytes) * double(lifetimeOf(b)), b.first,
                      b.last);
  });
  consider("lifetime", [&](const Lifetime &b) {
    return Key(-lifetimeOf(b), -b.bytes, b.first);
  });
  consider("end",
           [](const Lifetime &b) { return Key(-b.last, -b.bytes, b.first); });
  moveMisfits();
  wander();
  best.work = work;
  return best;
}

Placement Placement::find(ArrayRef<Lifetime> buffers) {
  return Placer(buffers).run();
}
