#include "Buckets.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>

using namespace mpc;
using namespace mpc::graph;

BucketSizes BucketSizes::of(const StepParts &settings) {
  double bandwidth = settings.linkBandwidth.value * 1e9;
  if (bandwidth == 0)
    return {.first = settings.firstBucketBytes ? settings.firstBucketBytes
                                               : settings.bucketBytes,
            .each = settings.bucketBytes};
  // What the link could have moved while nothing flowed. Of 10 times that it
  // moves 9.
  double lost = settings.linkLatency.value * 1e-6 * bandwidth;
  auto atMost = [&](double bytes) {
    return static_cast<int64_t>(
        std::clamp(bytes, 1.0, static_cast<double>(settings.bucketBytes)));
  };
  int64_t each = atMost(9 * lost);
  return {.first = each, .each = each, .last = atMost(lost)};
}

static int64_t bytesOf(Value value) {
  return getStoredBytes(cast<RankedTensorType>(value.getType()));
}

namespace {
/// The bucket of a type that is being filled, and the bytes of it at most.
struct OpenBucket {
  Bucket bucket;
  int64_t most;
};
} // namespace

static void fill(ArrayRef<Value> ordered, BucketSizes sizes,
                 SmallVector<Bucket> &buckets) {
  llvm::MapVector<Type, OpenBucket> open;
  for (Value value : ordered) {
    auto &[bucket, most] =
        open.try_emplace(mlir::getElementTypeOrSelf(value.getType()),
                         OpenBucket{{}, sizes.first})
            .first->second;
    if (!bucket.values.empty() && bucket.bytes + bytesOf(value) > most) {
      buckets.push_back(std::exchange(bucket, {}));
      most = sizes.each;
    }
    bucket.values.push_back(value);
    bucket.bytes += bytesOf(value);
  }
  for (auto &[type, last] : open)
    buckets.push_back(std::move(last.bucket));
}

SmallVector<Bucket> graph::fillBuckets(ArrayRef<Value> ordered,
                                       BucketSizes sizes) {
  size_t first = ordered.size(); // Of those that travel last.
  int64_t bytes = 0;
  while (first > 0 && bytes + bytesOf(ordered[first - 1]) <= sizes.last)
    bytes += bytesOf(ordered[--first]);
  SmallVector<Bucket> buckets;
  fill(ordered.take_front(first), sizes, buckets);
  fill(ordered.drop_front(first), sizes, buckets);
  return buckets;
}
