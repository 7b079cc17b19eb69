#include "Initializer.h"
#include "mpc/Runtime/Random.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;
using mpc::program::InitKind;

template <typename T> static void put(uint8_t *data, uint64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

/// Rounds `value` to `type` and writes it as element `index`.
static void store(ElementType type, uint8_t *data, uint64_t index,
                  double value) {
  switch (type) {
  case ElementType::F64:
    return put(data, index, value);
  case ElementType::F32:
    return put(data, index, static_cast<float>(value));
  case ElementType::F16:
    return put(data, index, floatToHalf(static_cast<float>(value)));
  case ElementType::BF16:
    return put(data, index, floatToBFloat(static_cast<float>(value)));
  case ElementType::I64:
    return put(data, index, static_cast<int64_t>(value));
  case ElementType::I32:
    return put(data, index, static_cast<int32_t>(value));
  case ElementType::I1:
    return put(data, index, static_cast<uint8_t>(value != 0));
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return; // the reader refuses programs that would come here
  }
}

static double load(ElementType type, const uint8_t *data, uint64_t index) {
  double wide;
  float single;
  uint16_t half;
  switch (type) {
  case ElementType::F64:
    std::memcpy(&wide, data + index * 8, 8);
    return wide;
  case ElementType::F32:
    std::memcpy(&single, data + index * 4, 4);
    return single;
  default:
    std::memcpy(&half, data + index * 2, 2);
    return type == ElementType::F16 ? halfToFloat(half) : bfloatToFloat(half);
  }
}

/// [a, b): a value that rounding has carried to b becomes a.
static void storeUniform(ElementType type, uint8_t *data, uint64_t index,
                         const program::Init &init, double unit) {
  store(type, data, index, init.a() + (init.b() - init.a()) * unit);
  if (load(type, data, index) >= init.b())
    store(type, data, index, init.a());
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
        store(state.type(), data, j, init.a() + init.b() * pair[j % 2]);
      else
        storeUniform(state.type(), data, j, init, pair[j % 2]);
  }
}

void runtime::initializeState(const program::State &state, uint64_t seed,
                              uint64_t offset, std::span<uint8_t> piece) {
  uint64_t width = getInfo(static_cast<DType>(state.type())).bytes;
  uint64_t count = piece.size() / width;
  switch (state.init()->kind()) {
  case InitKind::Zeros:
  case InitKind::Derived:
    std::ranges::fill(piece, uint8_t(0));
    return;
  case InitKind::Fill:
    for (uint64_t i = 0; i < count; ++i)
      store(state.type(), piece.data(), i, state.init()->a());
    return;
  case InitKind::Normal:
  case InitKind::Uniform:
    return fillRandom(state, seed, offset / width, count, piece.data());
  }
}
