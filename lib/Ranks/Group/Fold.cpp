#include "Fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>

using namespace mpc;
using namespace mpc::ranks;

// Elements that are folded at a time: sums and one source stay in the cache.
static constexpr uint64_t kBlock = 2048;

namespace {

/// How elements lie in memory, and the type they are folded in.
template <typename T> struct Plain {
  using Stored = T;
  using Sum = T;
  static T widen(T value) { return value; }
  static T narrow(T value) { return value; }
};
struct Half {
  using Stored = uint16_t;
  using Sum = float;
  static float widen(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t narrow(float value) { return floatToHalf(value); }
};
struct BFloat {
  using Stored = uint16_t;
  using Sum = float;
  static float widen(uint16_t bits) {
    return std::bit_cast<float>(uint32_t(bits) << 16);
  }
  static uint16_t narrow(float value) { return floatToBFloat(value); }
};

template <typename T> T add(T a, T b) {
  // Integers wrap.
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

template <typename T> T larger(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
  return std::max(a, b);
}

template <typename Format, Reduction kReduction>
void foldBlock(std::span<const std::byte *const> sources, std::byte *result,
               uint64_t first, uint64_t count) {
  using Stored = typename Format::Stored;
  using Sum = typename Format::Sum;
  auto read = [&](const std::byte *source) {
    return reinterpret_cast<const Stored *>(source) + first;
  };
  Sum sums[kBlock];
  const Stored *own = read(sources.front());
  for (uint64_t i = 0; i < count; ++i)
    sums[i] = Format::widen(own[i]);
  for (const std::byte *source : sources.subspan(1)) {
    const Stored *other = read(source);
    for (uint64_t i = 0; i < count; ++i)
      sums[i] = kReduction == Reduction::Max
                    ? larger(sums[i], Format::widen(other[i]))
                    : add(sums[i], Format::widen(other[i]));
  }
  auto *to = reinterpret_cast<Stored *>(result) + first;
  auto ranks = static_cast<Sum>(sources.size());
  for (uint64_t i = 0; i < count; ++i)
    to[i] = Format::narrow(kReduction == Reduction::Average ? sums[i] / ranks
                                                            : sums[i]);
}

template <typename Format, Reduction kReduction>
void foldAll(std::span<const std::byte *const> sources, std::byte *result,
             uint64_t count) {
  for (uint64_t first = 0; first < count; first += kBlock)
    foldBlock<Format, kReduction>(sources, result, first,
                                  std::min(kBlock, count - first));
}

template <typename Format>
void foldAs(Reduction reduction, std::span<const std::byte *const> sources,
            std::byte *result, uint64_t count) {
  switch (reduction) {
  case Reduction::Sum:
    return foldAll<Format, Reduction::Sum>(sources, result, count);
  case Reduction::Average:
    return foldAll<Format, Reduction::Average>(sources, result, count);
  case Reduction::Max:
    return foldAll<Format, Reduction::Max>(sources, result, count);
  }
}

} // namespace

bool ranks::canFold(DType type, Reduction reduction) {
  switch (type) {
  case DType::F64:
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    return true;
  case DType::I64:
  case DType::I32:
    return reduction != Reduction::Average;
  case DType::I1:
    return reduction == Reduction::Max;
  default:
    return false;
  }
}

void ranks::fold(DType type, Reduction reduction,
                 std::span<const std::byte *const> sources, std::byte *result,
                 uint64_t count) {
  switch (type) {
  case DType::F64:
    return foldAs<Plain<double>>(reduction, sources, result, count);
  case DType::F32:
    return foldAs<Plain<float>>(reduction, sources, result, count);
  case DType::F16:
    return foldAs<Half>(reduction, sources, result, count);
  case DType::BF16:
    return foldAs<BFloat>(reduction, sources, result, count);
  case DType::I64:
    return foldAs<Plain<int64_t>>(reduction, sources, result, count);
  case DType::I32:
    return foldAs<Plain<int32_t>>(reduction, sources, result, count);
  default: // i1
    return foldAs<Plain<uint8_t>>(reduction, sources, result, count);
  }
}
