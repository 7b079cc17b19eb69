#include "Initializer.h"
#include "Element.h"
#include "mpc/Runtime/Random.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;
using mpc::program::InitKind;

/// Numbers that are made at a time: they stay in the nearest cache.
static constexpr uint64_t kNumbers = 1024;

/// [a, b): a value that rounding has carried to b becomes a.
static void keepBelow(ElementType type, const program::Init &init,
                      uint8_t *data, uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; ++i)
    if (loadElement(type, data, i) >= init.b())
      storeElements(type, data, i, {{init.a()}});
}

static void fillRandom(const program::State &state, uint64_t seed,
                       uint64_t first, uint64_t count, uint8_t *data) {
  const program::Init &init = *state.init();
  RandomStream stream(seed, state.name()->string_view());
  bool isNormal = init.kind() == InitKind::Normal;
  double factor = isNormal ? init.b() : init.b() - init.a();
  double numbers[kNumbers];
  for (uint64_t done = 0; done < count; done += kNumbers) {
    std::span<double> part(numbers, std::min(kNumbers, count - done));
    if (isNormal)
      stream.normal(first + done, part);
    else
      stream.uniform(first + done, part);
    for (double &number : part)
      number = init.a() + factor * number;
    storeElements(state.type(), data, done, part);
    if (!isNormal)
      keepBelow(state.type(), init, data, done, part.size());
  }
}

static void fillEqual(const program::State &state, uint64_t count,
                      uint8_t *data) {
  double numbers[kNumbers];
  std::ranges::fill(numbers, state.init()->a());
  for (uint64_t done = 0; done < count; done += kNumbers)
    storeElements(state.type(), data, done,
                  {numbers, std::min(kNumbers, count - done)});
}

/// What random ops draw from is the seed of initialisation, folded to 32 bits.
static void fillSeed(uint64_t seed, std::span<uint8_t> piece) {
  auto folded = static_cast<uint32_t>(seed ^ seed >> 32);
  std::memcpy(piece.data(), &folded, sizeof folded);
}

void runtime::initializeState(const program::State &state, uint64_t seed,
                              uint64_t offset, std::span<uint8_t> piece) {
  if (state.role() == program::Role::RandomSeed)
    return fillSeed(seed, piece);
  uint64_t width = getInfo(static_cast<DType>(state.type())).bytes;
  uint64_t count = piece.size() / width;
  switch (state.init()->kind()) {
  case InitKind::Zeros:
  case InitKind::Derived:
    std::ranges::fill(piece, uint8_t(0));
    return;
  case InitKind::Fill:
    return fillEqual(state, count, piece.data());
  case InitKind::Normal:
  case InitKind::Uniform:
    return fillRandom(state, seed, offset / width, count, piece.data());
  }
}
