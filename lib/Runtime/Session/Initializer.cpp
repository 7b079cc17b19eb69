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

/// [a, b): a value that rounding has carried to b becomes a.
static void storeUniform(ElementType type, uint8_t *data, uint64_t index,
                         const program::Init &init, double unit) {
  storeElement(type, data, index, init.a() + (init.b() - init.a()) * unit);
  if (loadElement(type, data, index) >= init.b())
    storeElement(type, data, index, init.a());
}

static void fillRandom(const program::State &state, uint64_t seed,
                       uint64_t first, uint64_t count, uint8_t *data) {
  const program::Init &init = *state.init();
  RandomStream stream(seed, state.name()->string_view());
  bool normal = init.kind() == InitKind::Normal;
  for (uint64_t i = 0; i < count; i += 2) {
    uint64_t block = (first + i) / 2;
    std::array<double, 2> pair =
        normal ? stream.normalPair(block) : stream.uniformPair(block);
    for (uint64_t j = i; j < std::min(count, i + 2); ++j)
      if (normal)
        storeElement(state.type(), data, j, init.a() + init.b() * pair[j % 2]);
      else
        storeUniform(state.type(), data, j, init, pair[j % 2]);
  }
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
    for (uint64_t i = 0; i < count; ++i)
      storeElement(state.type(), piece.data(), i, state.init()->a());
    return;
  case InitKind::Normal:
  case InitKind::Uniform:
    return fillRandom(state, seed, offset / width, count, piece.data());
  }
}
