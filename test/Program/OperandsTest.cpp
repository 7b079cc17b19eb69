// The argument lists of Program.fbs, spelled out.
#include "mpc/Program/Operands.h"
#include "../Runtime/HandMade.h"

#include <functional>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

/// "16r 8w": bytes, read or written, per argument of the only record.
static std::string list(ProgramT &made, RecordKind kind) {
  flatbuffers::FlatBufferBuilder builder;
  made.target = "cuda";
  builder.Finish(program::Program::Pack(builder, &made));
  const auto &packed =
      *flatbuffers::GetRoot<program::Program>(builder.GetBufferPointer());
  std::string text;
  for (Operand operand :
       getOperands(packed, Record(kind, 0, 0, 0, kNoName, 24, 1)))
    text += (text.empty() ? "" : " ") + std::to_string(operand.bytes) +
            (operand.written ? "w" : "r");
  return text;
}

static std::string list(const MultiTensorT &op) {
  ProgramT made;
  made.multi_tensors.push_back(std::make_unique<MultiTensorT>(op));
  return list(made, RecordKind::MultiTensor);
}

static std::string list(MatmulSpec spec,
                        const std::function<void(MatmulSpec &)> &change) {
  change(spec);
  ProgramT made;
  made.calls.push_back(spec.call());
  return list(made, RecordKind::Call);
}

TEST(Operands, CopyAndFill) {
  ProgramT made;
  EXPECT_EQ(list(made, RecordKind::Copy), "24r 24w");
  EXPECT_EQ(list(made, RecordKind::Fill), "24w");
}

TEST(Operands, Observe) {
  // 24 elements of type 0, f64; a row of 6 + 2 * 4 + 277 numbers.
  ProgramT made;
  EXPECT_EQ(list(made, RecordKind::Observe), "192r 2328w");
}

TEST(Operands, Launch) {
  HandMade made;
  made.kernel("k", {8, 16, 4}, 2);
  EXPECT_EQ(list(made.program, RecordKind::Launch), "8r 16w 4w");
  HandMade unknown;
  unknown.kernel("k", {});
  EXPECT_EQ(list(unknown.program, RecordKind::Launch), "");
}

TEST(Operands, AllReduce) {
  ProgramT made;
  made.collectives.push_back(std::make_unique<CollectiveT>());
  made.collectives.back()->type = ElementType::F16;
  made.collectives.back()->counts = {3, 5};
  for (RecordKind kind : {RecordKind::AllReduce, RecordKind::AllReduceStart,
                          RecordKind::AllReduceDone})
    EXPECT_EQ(list(made, kind), "6r 6w 10r 10w");
}

TEST(Operands, Matmul) {
  // 4x8 * 8x2 = 4x2, f16 in and f32 out.
  MatmulSpec spec = {
      ElementType::F16, ElementType::F32, {4, 8}, {8, 2}, {4, 2}};
  EXPECT_EQ(list(spec, [](MatmulSpec &) {}), "64r 32r 32w");
  EXPECT_EQ(list(spec,
                 [](MatmulSpec &m) {
                   m.bias = m.aux = true;
                   m.epilogue = Epilogue::GeluTanh;
                 }),
            "64r 32r 32w 8r 32w");
  EXPECT_EQ(
      list(spec, [](MatmulSpec &m) { m.aux = m.derivative = m.scales = true; }),
      "64r 32r 32w 32r 4r 4r");
}

TEST(Operands, UnscaleL2Norm) {
  MultiTensorT op;
  op.counts = {3, 5};
  op.gradient_type = ElementType::F16;
  op.has_scale = true;
  EXPECT_EQ(list(op), "4r 6r 10r 1w 4w");
}

TEST(Operands, AdamW) {
  MultiTensorT op;
  op.kind = MultiTensorKind::AdamW;
  op.counts = {3, 5};
  // lr, step; p, g, m, v; next p, m, v.
  EXPECT_EQ(list(op), "4r 4r 12r 20r 12r 20r 12r 20r 12r 20r "
                      "12w 20w 12w 20w 12w 20w");
  op.counts = {3};
  op.gradient_type = ElementType::BF16;
  op.has_found_inf = op.has_scale = op.has_coefficient = op.has_copies = true;
  EXPECT_EQ(list(op), "1r 4r 4r 4r 4r 12r 6r 12r 12r 12w 12w 12w 6w");
}

TEST(Operands, Sgd) {
  MultiTensorT op;
  op.kind = MultiTensorKind::Sgd;
  op.counts = {3};
  EXPECT_EQ(list(op), "4r 12r 12r 12w");
  op.momentum = 0.9;
  EXPECT_EQ(list(op), "4r 12r 12r 12r 12w 12w");
}
