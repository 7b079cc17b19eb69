#include "mpc/Support/Observation.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace mpc;

NarrowingLimits mpc::getNarrowingLimits(DType type) {
  const DTypeInfo &info = getInfo(type);
  // The next value after the largest, were there one, is a whole step above.
  double step = std::ldexp(1.0, std::ilogb(info.maxFinite) -
                                    static_cast<int>(info.mantissaBits));
  double last = info.maxFinite / step; // its significand, an integer
  bool isOdd = std::fmod(last, 2.0) != 0;
  return {info.maxFinite + step / 2, info.minSubnormal / 2, isOdd};
}

/// Of kObservedFormats, in their order.
static const auto &getLimits() {
  static const auto limits = [] {
    std::array<NarrowingLimits, kObservedFormats.size()> each;
    std::ranges::transform(kObservedFormats, each.begin(), getNarrowingLimits);
    return each;
  }();
  return limits;
}

void Observation::add(double value) {
  ++elements;
  double magnitude = std::fabs(value);
  if (std::isnan(value)) {
    ++nan;
    return;
  }
  if (std::isinf(value)) {
    ++infinite;
    return;
  }
  if (magnitude == 0) {
    ++zeros;
    return;
  }
  largest = std::max(largest, magnitude);
  smallest = smallest == 0 ? magnitude : std::min(smallest, magnitude);
  int exponent =
      std::clamp(std::ilogb(magnitude), kLowestExponent, kHighestExponent);
  ++exponents[static_cast<size_t>(exponent - kLowestExponent)];
  const auto &limits = getLimits();
  for (size_t i = 0; i < limits.size(); ++i) {
    overflow[i] += limits[i].overflows(magnitude);
    flush[i] += limits[i].flushes(magnitude);
  }
}

void Observation::merge(const Observation &other) {
  auto addAll = [](auto &to, const auto &from) {
    std::ranges::transform(to, from, to.begin(), std::plus<>());
  };
  elements += other.elements;
  infinite += other.infinite;
  nan += other.nan;
  zeros += other.zeros;
  largest = std::max(largest, other.largest);
  if (other.smallest != 0)
    smallest =
        smallest == 0 ? other.smallest : std::min(smallest, other.smallest);
  addAll(overflow, other.overflow);
  addAll(flush, other.flush);
  addAll(exponents, other.exponents);
}

template <typename Bits, typename Widen>
static Observation observeAs(const void *elements, size_t count, Widen widen) {
  Observation result;
  const auto *bytes = static_cast<const unsigned char *>(elements);
  for (size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof(Bits));
    result.add(widen(bits));
  }
  return result;
}

Observation mpc::observe(DType type, const void *elements, size_t count) {
  auto same = [](auto value) { return static_cast<double>(value); };
  switch (type) {
  case DType::F64:
    return observeAs<double>(elements, count, same);
  case DType::F32:
    return observeAs<float>(elements, count, same);
  case DType::F16:
    return observeAs<uint16_t>(elements, count, halfToFloat);
  case DType::BF16:
    return observeAs<uint16_t>(elements, count, bfloatToFloat);
  default:
    return {};
  }
}
