// What a product may take: blocks, elements and memory, whoever made the
// program.
#include "HandMade.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/HostCall.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

static constexpr ElementType F16 = ElementType::F16, BF16 = ElementType::BF16;

/// A product that no record runs takes no memory of the program either.
TEST(MatmulLimits, ABatchThatNothingCountsIsRefused) {
  constexpr int64_t batches = int64_t(1) << 40;
  for (ElementType type : {ElementType::F64, ElementType::F32, F16, BF16}) {
    MatmulSpec spec = {
        type, type, {batches, 1, 1}, {batches, 1, 1}, {batches, 1, 1}};
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(program::Call::Pack(builder, spec.call().get()));
    auto made = runtime::makeHostCall(
        *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()), 1);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.status().message(),
              "matmul: expected fewer than 2^32 blocks of a product, but got "
              "1099511627776; make its batch smaller");
  }
}

/// Operands are read where they lie: elements that lie in one another have no
/// place of their own, in whatever type they are computed.
TEST(MatmulLimits, ElementsInOneAnotherTakeNoMemory) {
  constexpr int64_t batches = int64_t(1) << 17, inner = int64_t(1) << 45;
  MatmulSpec spec = {F16, F16, {1, 1, 2}, {1, 2, 1}, {batches, 1, 1}};
  std::unique_ptr<CallT> call = spec.call();
  call->operands[0]->shape = {batches, 1, inner};
  call->operands[0]->strides = {1, inner, 1};
  call->operands[1]->shape = {batches, inner, 1};
  call->operands[1]->strides = {0, 1, inner};
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, call.get()));
  const auto &packed =
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  ASSERT_TRUE(program::verifyCall(packed, false).ok())
      << program::verifyCall(packed, false).message();
  auto made = runtime::makeHostCall(packed, 1);
  ASSERT_TRUE(made) << made.status().message();
  EXPECT_EQ((*made)->workspace().shared, 0u);
  EXPECT_LE((*made)->workspace().perWorker, uint64_t(1) << 20);
}

/// Sums that we round are in memory of each worker: 64 of them took 8 GB for
/// the first product when blocks grew. Where the processor multiplies bf16
/// oneDNN rounds, and has the sums of a block in its scratch memory.
TEST(MatmulLimits, WorkspaceOfManyThreadsIsBounded) {
  constexpr uint32_t threads = 64;
  for (ElementType type : {F16, BF16})
    for (Dims sizes : {Dims{8192, 64, 50257}, Dims{24, 2048, 64, 2048}}) {
      Dims lhs = sizes, rhs = sizes, out = sizes;
      lhs.pop_back();
      rhs.erase(rhs.end() - 3);
      out.erase(out.end() - 2);
      flatbuffers::FlatBufferBuilder builder;
      builder.Finish(program::Call::Pack(
          builder, MatmulSpec{type, type, lhs, rhs, out}.call().get()));
      auto made = runtime::makeHostCall(
          *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()),
          threads);
      ASSERT_TRUE(made) << made.status().message();
      EXPECT_LE((*made)->workspace().perWorker, uint64_t(3) << 20)
          << (*made)->describe();
      EXPECT_EQ((*made)->workspace().shared, 0u) << (*made)->describe();
    }
}
