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
    return {settings.bucketBytes};
  // What the link could have moved while nothing flowed. Of 10 times that it
  // moves 9.
  double lost = settings.linkLatency.value * 1e-6 * bandwidth;
  auto atMost = [&](double bytes) {
    return static_cast<int64_t>(
        std::clamp(bytes, 1.0, static_cast<double>(settings.bucketBytes)));
  };
  return {atMost(9 * lost), atMost(lost)};
}

static int64_t bytesOf(Value value) {
  return getStoredBytes(cast<RankedTensorType>(value.getType()));
}

static void fill(ArrayRef<Value> ordered, int64_t most,
                 SmallVector<Bucket> &buckets) {
  llvm::MapVector<Type, Bucket> open;
  for (Value value : ordered) {
    Bucket &bucket = open[mlir::getElementTypeOrSelf(value.getType())];
    if (!bucket.values.empty() && bucket.bytes + bytesOf(value) > most)
      buckets.push_back(std::exchange(bucket, {}));
    bucket.values.push_back(value);
    bucket.bytes += bytesOf(value);
  }
  for (auto &[type, bucket] : open)
    buckets.push_back(std::move(bucket));
}

SmallVector<Bucket> graph::fillBuckets(ArrayRef<Value> ordered,
                                       BucketSizes sizes) {
  size_t first = ordered.size(); // Of those that travel last.
  int64_t bytes = 0;
  while (first > 0 && bytes + bytesOf(ordered[first - 1]) <= sizes.last)
    bytes += bytesOf(ordered[--first]);
  SmallVector<Bucket> buckets;
  fill(ordered.take_front(first), sizes.each, buckets);
  fill(ordered.drop_front(first), sizes.each, buckets);
  return buckets;
}
