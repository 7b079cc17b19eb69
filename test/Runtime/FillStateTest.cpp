// States that an executor fills which has no way of its own for it.
#include "mpc/Runtime/Executor.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::runtime;

namespace {
/// Has a block of states and runs nothing.
class Block final : public Executor {
public:
  explicit Block(uint64_t bytes) : state(bytes) {}
  Status run(uint32_t, std::span<const Input>) override { return {}; }
  Status readState(uint64_t, std::span<uint8_t>) override { return {}; }
  Status writeState(uint64_t offset, std::span<const uint8_t> bytes) override {
    if (writesLeft-- == 0)
      return {StatusCode::DeviceFailed, "the device has gone"};
    std::ranges::copy(bytes, state.begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }
  Result<std::span<const uint8_t>> output(uint32_t, uint32_t) override {
    return std::span<const uint8_t>();
  }
  Result<std::span<const uint8_t>> result(uint32_t, uint32_t,
                                          uint32_t) override {
    return std::span<const uint8_t>();
  }
  Status synchronize() override { return {}; }
  Result<std::vector<uint8_t>> exportPlans() override {
    return std::vector<uint8_t>();
  }
  MemoryUse memory() const override { return {}; }
  WaitCounts waitCounts() const override { return {}; }
  uint32_t rank() const override { return 0; }
  uint32_t threads() const override { return 1; }

  std::vector<uint8_t> state;
  int writesLeft = -1;
};
} // namespace

static uint8_t valueAt(uint64_t i) {
  return static_cast<uint8_t>(1 + i * 7 + (i >> 13));
}

static void fill(uint64_t first, std::span<uint8_t> piece) {
  EXPECT_EQ(first % 4096, 0u);
  for (size_t i = 0; i < piece.size(); ++i)
    piece[i] = valueAt(first + i);
}

/// Two whole pieces and a part of one, behind another state.
TEST(FillState, InPieces) {
  constexpr uint64_t offset = 512, bytes = (uint64_t(5) << 19) + 12;
  Block block(offset + bytes + 256);
  ASSERT_TRUE(block.fillState(offset, bytes, fill).ok());
  for (uint64_t i = 0; i < block.state.size(); ++i) {
    bool isInside = i >= offset && i < offset + bytes;
    ASSERT_EQ(block.state[i], isInside ? valueAt(i - offset) : 0) << i;
  }
}

TEST(FillState, EndsWhereAPieceFails) {
  Block block(uint64_t(3) << 20);
  block.writesLeft = 1;
  int pieces = 0;
  Status status = block.fillState(
      0, block.state.size(), [&](uint64_t, std::span<uint8_t>) { ++pieces; });
  EXPECT_EQ(status.message(), "the device has gone");
  EXPECT_EQ(pieces, 2);
}
