// Bytes and operations of records, against their definitions.
#include "mpc/Program/Costs.h"
#include "../Runtime/HandMade.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

/// Of the only record.
static Cost costOf(const ProgramT &made, RecordKind kind) {
  flatbuffers::FlatBufferBuilder builder;
  ProgramT copy = made;
  copy.target = "cpu";
  builder.Finish(program::Program::Pack(builder, &copy));
  const auto &packed =
      *flatbuffers::GetRoot<program::Program>(builder.GetBufferPointer());
  return getCost(packed, Record(kind, 0, 0, 0, kNoName, 24, 1));
}

TEST(Costs, OfMemory) {
  ProgramT made;
  Cost copy = costOf(made, RecordKind::Copy);
  EXPECT_EQ(copy.bytesRead, 24u);
  EXPECT_EQ(copy.bytesWritten, 24u);
  EXPECT_EQ(copy.flops, 0);
  EXPECT_EQ(costOf(made, RecordKind::Fill).bytesWritten, 24u);
  // One rank moves nothing, eight do.
  Cost reduce = costOf(made, RecordKind::AllReduce);
  EXPECT_EQ(reduce.bytesRead + reduce.bytesWritten, 0u);
  auto kernel = std::make_unique<KernelT>();
  kernel->symbol = "k";
  kernel->bytes_read = 12;
  kernel->bytes_written = 8;
  made.kernels.push_back(std::move(kernel));
  Cost launch = costOf(made, RecordKind::Launch);
  EXPECT_EQ(launch.bytesRead, 12u);
  EXPECT_EQ(launch.bytesWritten, 8u);
}

/// The right matrix is one for all of the batch: it is read once.
TEST(Costs, OfProducts) {
  ProgramT made;
  made.calls.push_back(MatmulSpec{
      ElementType::BF16, ElementType::F32, {3, 4, 8}, {1, 8, 2}, {3, 4, 2}}
                           .call());
  Cost cost = costOf(made, RecordKind::Call);
  EXPECT_EQ(cost.bytesRead, (3u * 4 * 8 + 8 * 2) * 2);
  EXPECT_EQ(cost.bytesWritten, 3u * 4 * 2 * 4);
  EXPECT_EQ(cost.flops, 2.0 * 3 * 4 * 8 * 2);
}

static std::unique_ptr<CallT> makeAttention(const AttentionT &options,
                                            int64_t queries, int64_t keys) {
  auto call = std::make_unique<CallT>();
  AttentionT copy = options;
  call->options.Set(std::move(copy));
  auto add = [&](OperandRole role, Dims shape, bool isWritten = false) {
    auto operand = std::make_unique<CallOperandT>();
    operand->role = role;
    operand->type = ElementType::F32;
    operand->strides = Dims(shape.size(), 1);
    operand->shape = std::move(shape);
    operand->written = isWritten;
    call->operands.push_back(std::move(operand));
  };
  add(OperandRole::Query, {2, queries, 3, 8});
  add(OperandRole::Key, {2, keys, 3, 8});
  add(OperandRole::Value, {2, keys, 3, 4});
  add(OperandRole::Result, {2, queries, 3, 4}, true);
  return call;
}

/// Query i sees key j, as Program.fbs says.
static double countSeen(const AttentionT &options, int64_t queries,
                        int64_t keys) {
  double seen = 0;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j)
      seen += !(options.causal && j > i) &&
              !(options.window && std::abs(i - j) >= options.window);
  return seen;
}

/// The longest row of keys that a program may have, and a query that sees one.
TEST(Costs, OfKeysInOnePlace) {
  AttentionT options;
  options.causal = true;
  ProgramT made;
  made.calls.push_back(makeAttention(options, 9, int64_t(1) << 30));
  EXPECT_EQ(costOf(made, RecordKind::Call).flops,
            2 * 3 * (9 * 10 / 2) * 2 * (8 + 4));
}

TEST(Costs, OfAttention) {
  for (bool isBackward : {false, true})
    for (bool isCausal : {false, true})
      for (int64_t window : {0, 1, 3, 6, 9, 100})
        for (int64_t queries : {1, 5, 9})
          for (int64_t keys : {1, 4, 9, 12}) {
            AttentionT options;
            options.backward = isBackward;
            options.causal = isCausal;
            options.window = window;
            ProgramT made;
            made.calls.push_back(makeAttention(options, queries, keys));
            double pairs = 2 * 3 * countSeen(options, queries, keys);
            EXPECT_EQ(costOf(made, RecordKind::Call).flops,
                      pairs * 2 * (isBackward ? 3 * 8 + 2 * 4 : 8 + 4))
                << isCausal << " " << window << " " << queries << " " << keys;
          }
}
