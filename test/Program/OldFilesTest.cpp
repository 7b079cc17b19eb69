// Files of older versions say what files of today would.
#include "../Runtime/CudaProgram.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

static constexpr std::string_view kTargets[] = {"cpu", "cuda"};

/// The product of `spec` in the words of version 3.
static std::unique_ptr<OldMatmulT> makeOld(const MatmulSpec &spec) {
  auto old = std::make_unique<OldMatmulT>();
  old->lhs_type = spec.operand;
  old->rhs_type = spec.rhsOperand;
  old->result_type = spec.result;
  old->lhs_shape = spec.lhs;
  old->rhs_shape = spec.rhs;
  old->result_shape = spec.out;
  old->transpose_lhs = spec.transposeLhs;
  old->transpose_rhs = spec.transposeRhs;
  old->has_bias = spec.bias;
  old->epilogue = spec.epilogue;
  old->has_aux = spec.aux || spec.derivative;
  old->derivative = spec.derivative;
  old->has_scales = spec.scales;
  return old;
}

/// The file of a finished program.
static std::vector<uint8_t> seal(flatbuffers::FlatBufferBuilder &builder,
                                 uint32_t version) {
  std::vector<uint8_t> bytes(64 + builder.GetSize());
  auto put = [&](size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  };
  std::memcpy(bytes.data(), "MPCX\r\n\x1a\n", 8);
  put(8, version);
  put(12, uint32_t(64));
  put(16, uint64_t(builder.GetSize()));
  put(24, uint64_t(XXH64(builder.GetBufferPointer(), builder.GetSize(), 0)));
  std::memcpy(bytes.data() + 64, builder.GetBufferPointer(), builder.GetSize());
  return bytes;
}

/// A file as a compiler of that version would have written it.
static std::vector<uint8_t> write(ProgramT &program, uint32_t version) {
  program.format_version = version;
  flatbuffers::FlatBufferBuilder builder;
  FinishProgramBuffer(builder, Program::Pack(builder, &program));
  return seal(builder, version);
}

/// A program of version 3 with these products, and a record of the first.
static HandMade makeOldProgram(const std::vector<MatmulSpec> &products) {
  HandMade made;
  made.program.target = "cuda";
  for (const MatmulSpec &spec : products)
    made.program.old_matmuls.push_back(makeOld(spec));
  std::vector<Arg> args;
  for (size_t i = 0; i < products.front().call()->operands.size(); ++i)
    args.push_back(made.arena(1 << 20));
  HandMade::record(made.entry("step"), RecordKind::Call, 0, args);
  return made;
}

static std::vector<uint8_t> packed(const CallT &call) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Call::Pack(builder, &call));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

static std::vector<MatmulSpec> makeProducts() {
  constexpr ElementType f32 = ElementType::F32, f16 = ElementType::F16;
  MatmulSpec full = {f16, f16, {16, 4}, {16, 8}, {4, 8}, true};
  full.operand = full.rhsOperand = ElementType::F8E4M3;
  full.epilogue = Epilogue::GeluTanh;
  full.derivative = full.scales = true;
  MatmulSpec forward = {f16, f16, {4, 16}, {8, 16}, {4, 8}, false, true, true};
  forward.epilogue = Epilogue::GeluTanh;
  forward.aux = true;
  return {{f32, f32, {3, 5}, {5, 7}, {3, 7}},
          {f32, f32, {2, 1, 3, 5}, {4, 5, 7}, {2, 4, 3, 7}},
          {f32, f32, {3, 5}, {6, 7, 5}, {6, 3, 7}, false, true},
          {f32, f32, {1, 5, 3}, {1, 7, 5}, {1, 3, 7}, true, true},
          full,
          forward,
          {f16, f32, {16, 4}, {16, 8}, {4, 8}, true}};
}

TEST(OldFiles, ProductsAreCalls) {
  for (uint32_t version : {1, 2, 3}) {
    std::vector<MatmulSpec> products = makeProducts();
    HandMade made = makeOldProgram(products);
    std::vector<uint8_t> bytes = write(made.program, version);
    Result<ProgramFile> file = ProgramFile::copy(bytes, kTargets);
    ASSERT_TRUE(file) << file.status().message();
    EXPECT_EQ((*file)->format_version(), version);
    EXPECT_EQ(file->bytes(), bytes.size());
    EXPECT_EQ((*file)->old_matmuls(), nullptr);
    EXPECT_EQ((*file)->entries()->size(), 1u); // What follows in the table.
    ASSERT_EQ((*file)->calls()->size(), products.size());
    for (uint32_t i = 0; i < products.size(); ++i) {
      CallT call;
      (*file)->calls()->Get(i)->UnPackTo(&call);
      EXPECT_EQ(packed(call), packed(*products[i].call())) << i;
    }
  }
}

TEST(OldFiles, TailsStayWithTheirArguments) {
  HandMade made = makeOldProgram(
      {{ElementType::F32, ElementType::F32, {4, 4}, {4, 4}, {4, 4}}});
  made.program.old_matmuls[0]->tail_kernel = made.kernel("tail", {64, 64});
  made.program.old_matmuls[0]->tail_args = {0, 2};
  addSection(made, "sm_90", CodeFormat::Ptx, 0, 1);
  Result<ProgramFile> file =
      ProgramFile::copy(write(made.program, 3), kTargets);
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ((*file)->calls()->Get(0)->tail_kernel(), 0u);
  EXPECT_EQ((*file)->calls()->Get(0)->tail_args()->Get(1), 2u);
}

/// Nobody makes them any more.
TEST(OldFiles, SumsBesideProductsAreRefused) {
  const MatmulSpec product = {ElementType::F16, ElementType::F16, {16, 4},
                              {16, 8},          {4, 8},           true};
  HandMade before = makeOldProgram({product}), now = before;
  before.program.old_matmuls[0]->bias_gradient = 3; // of rhs
  now.program.old_matmuls.clear();
  now.program.calls.push_back(product.call());
  CallT &call = *now.program.calls[0];
  call.options.AsMatmul()->bias_gradient = 3;
  auto sums = std::make_unique<CallOperandT>();
  sums->role = OperandRole::BiasGradient;
  sums->type = ElementType::F16;
  sums->shape = {8};
  sums->strides = {1};
  sums->written = true;
  call.operands.push_back(std::move(sums));
  for (HandMade *made : {&before, &now}) {
    uint32_t version = made == &before ? 3 : 4;
    Result<ProgramFile> file =
        ProgramFile::copy(write(made->program, version), kTargets);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.status().code(), StatusCode::VersionTooOld);
    EXPECT_EQ(file.status().message(),
              "program: call 0 (matmul): expected no sums beside the product, "
              "which kernels make now; compile the model again");
  }
}

/// What today's version ignores, it must not trust either.
TEST(OldFiles, ProductsOfTodayAreNotRead) {
  HandMade made = makeOldProgram(makeProducts());
  EXPECT_FALSE(ProgramFile::copy(write(made.program, 4), kTargets));
}

TEST(OldFiles, ProductsThatAreNoneAreRefused) {
  const MatmulSpec good = {
      ElementType::F32, ElementType::F32, {4, 4}, {4, 4}, {4, 4}};
  auto messageOf = [](const MatmulSpec &spec) {
    HandMade made = makeOldProgram({spec});
    Result<ProgramFile> file =
        ProgramFile::copy(write(made.program, 3), kTargets);
    return file ? "" : file.status().message();
  };
  EXPECT_EQ(messageOf(good), "");
  MatmulSpec bad = good;
  bad.lhs = {4};
  EXPECT_NE(messageOf(bad).find("expected matmul 0 to have operands of 2 to 64 "
                                "dims"),
            std::string::npos);
  bad.lhs = Dims(65, 1);
  EXPECT_NE(messageOf(bad).find("2 to 64 dims"), std::string::npos);
  bad.lhs = {4, 5};
  EXPECT_NE(messageOf(bad).find("shapes of a matrix product"),
            std::string::npos);
  bad.lhs = {-4, 4};
  EXPECT_NE(messageOf(bad).find("expected a stride"), std::string::npos);
}

/// Shapes are read before calls are made of them.
TEST(OldFiles, MisalignedShapesAreRefused) {
  HandMade made = makeOldProgram({makeProducts().front()});
  std::vector<uint8_t> bytes = write(made.program, 3);
  const auto *root = flatbuffers::GetRoot<Program>(bytes.data() + 64);
  const auto *shape = root->old_matmuls()->Get(0)->lhs_shape();
  ptrdiff_t at = reinterpret_cast<const uint8_t *>(shape) - bytes.data();
  auto patch = [&](ptrdiff_t place, uint32_t value) {
    std::memcpy(bytes.data() + place, &value, sizeof value);
  };
  for (ptrdiff_t i = 64; i < at; i += 4) { // Whoever refers to it.
    uint32_t offset = 0;
    std::memcpy(&offset, bytes.data() + i, sizeof offset);
    if (i + ptrdiff_t{offset} == at)
      patch(i, offset + 4);
  }
  patch(at + 4, 1); // Its length now.
  uint64_t hash = XXH64(bytes.data() + 64, bytes.size() - 64, 0);
  std::memcpy(bytes.data() + 24, &hash, sizeof hash);
  Result<ProgramFile> file = ProgramFile::copy(bytes, kTargets);
  ASSERT_FALSE(file);
  EXPECT_NE(file.status().message().find("is not aligned"), std::string::npos)
      << file.status().message();
}

TEST(OldFiles, TailsWithMoreArgumentsThanOperandsAreRefused) {
  HandMade made = makeOldProgram({makeProducts().front()});
  made.program.old_matmuls[0]->tail_args.resize(256);
  Result<ProgramFile> file =
      ProgramFile::copy(write(made.program, 3), kTargets);
  ASSERT_FALSE(file);
  EXPECT_NE(file.status().message().find("at most 255 arguments of a tail"),
            std::string::npos)
      << file.status().message();
}

/// A list whose elements are all one table: 4 bytes of the file for each call.
TEST(OldFiles, ASmallFileDoesNotBecomeALargeOne) {
  flatbuffers::FlatBufferBuilder builder;
  Dims shape(64, 1);
  OldMatmulT product;
  product.lhs_shape = product.rhs_shape = product.result_shape = shape;
  product.has_bias = product.has_aux = product.has_scales = true;
  std::vector<flatbuffers::Offset<OldMatmul>> products(
      500000, OldMatmul::Pack(builder, &product));
  auto list = builder.CreateVector(products);
  auto target = builder.CreateString("cuda");
  ProgramBuilder program(builder);
  program.add_format_version(3);
  program.add_target(target);
  program.add_old_matmuls(list);
  FinishProgramBuffer(builder, program.Finish());
  Result<ProgramFile> file = ProgramFile::copy(seal(builder, 3), kTargets);
  ASSERT_FALSE(file);
  EXPECT_NE(file.status().message().find("at most 268435456 bytes of calls"),
            std::string::npos)
      << file.status().message();
}

TEST(OldFiles, FlippedAndResealedNeverCrashes) {
  HandMade made = makeOldProgram(makeProducts());
  std::vector<uint8_t> bytes = write(made.program, 3);
  ASSERT_TRUE(ProgramFile::copy(bytes, kTargets));
  size_t refused = 0;
  for (size_t i = 64; i < bytes.size(); ++i)
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> broken = bytes;
      broken[i] ^= mask;
      uint64_t hash = XXH64(broken.data() + 64, broken.size() - 64, 0);
      std::memcpy(broken.data() + 24, &hash, 8);
      refused += !ProgramFile::copy(broken, kTargets);
    }
  EXPECT_GT(refused, 300u);
}
