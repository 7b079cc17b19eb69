// What a plan holds, and what it refuses.
#include "kernels/driver/Cases.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::kernels;

namespace {
/// A norm over tensors at made-up addresses.
Result<Launch> planNorm(DType type, std::vector<uint64_t> counts,
                        uintptr_t first, uint32_t multiprocessors = 2) {
  MultiTensor op;
  op.gradientType = type;
  std::vector<void *> arguments;
  for (uint64_t count : counts) {
    arguments.push_back(reinterpret_cast<void *>(first));
    first += (count * getInfo(type).bytes + 255) / 256 * 256;
  }
  arguments.resize(counts.size() + 2, reinterpret_cast<void *>(16));
  return plan(op, counts, arguments, multiprocessors);
}
} // namespace

TEST(Plan, cutsTensorsIntoChunks) {
  Result<Launch> launch = planNorm(DType::F16, {3, 0, 20000}, 0x1000);
  ASSERT_TRUE(launch) << launch.status().message();
  // A tile is 256 threads * 4 packs of 8 elements.
  EXPECT_EQ(launch->parameters.numChunks, 1u + 3u);
  EXPECT_EQ(launch->grid, 4u);
  EXPECT_EQ(launch->block, 256u);
  auto *chunks = reinterpret_cast<const Chunk *>(launch->table.data());
  EXPECT_EQ(chunks[0].count, 3u);
  EXPECT_EQ(chunks[3].count, 20000u - 2 * 8192u);
  EXPECT_EQ(chunks[3].at[0], reinterpret_cast<void *>(0x1100 + 4 * 8192));
}

TEST(Plan, beginsPacksOnBoundaries) {
  Result<Launch> launch = planNorm(DType::F16, {10000}, 0x1006);
  ASSERT_TRUE(launch) << launch.status().message();
  auto *chunks = reinterpret_cast<const Chunk *>(launch->table.data());
  EXPECT_EQ(chunks[0].head, 5u); // 3 elements after a boundary of 8
  EXPECT_EQ(chunks[0].count, 5u + 8192u);
  EXPECT_EQ(chunks[1].head, 0u);
  EXPECT_EQ(chunks[1].at[0], reinterpret_cast<void *>(0x1006 + 2 * (5 + 8192)));
}

TEST(Plan, growsChunksWithTheWorkAndFillsTheDevice) {
  Result<Launch> launch =
      planNorm(DType::F16, gpt2Counts(768, 50257), 0x1000, 132);
  ASSERT_TRUE(launch) << launch.status().message();
  EXPECT_EQ(launch->grid, 132u * 4u);
  EXPECT_GT(launch->parameters.numChunks, 8 * launch->grid);
  EXPECT_LT(launch->table.size(), 2u << 20);
}

TEST(Plan, runsWithoutElements) {
  Result<Launch> launch = planNorm(DType::F32, {0, 0}, 0x1000);
  ASSERT_TRUE(launch) << launch.status().message();
  EXPECT_EQ(launch->grid, 1u); // the scalars are still to be written
}

TEST(Plan, refusesWhatNoKernelTakes) {
  EXPECT_EQ(planNorm(DType::F8E4M3, {4}, 0x1000).status().message(),
            "expected f32, f16 or bf16 gradients and f16, bf16 or no copies "
            "for a multi-tensor operation, but got f8E4M3FN gradients and no "
            "copies");
  MultiTensor op{.kind = Kind::AdamW, .copyType = DType::F32};
  EXPECT_EQ(plan(op, {}, {}, 1).status().message(),
            "expected f32, f16 or bf16 gradients and f16, bf16 or no copies "
            "for a multi-tensor operation, but got f32 gradients and f32 "
            "copies");
  op.copyType = DType::F16;
  uint64_t counts[] = {4, 4};
  EXPECT_EQ(plan(op, counts, {}, 1).status().message(),
            "expected 18 pointers for a multi-tensor operation on 2 tensors, "
            "but got 0");
}
