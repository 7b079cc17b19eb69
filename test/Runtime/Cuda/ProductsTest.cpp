// A session with matrix products: when they are planned, tuned and captured,
// and what they do to the states.
#include "FakeCublasLt.h"
#include "SmallProgram.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using Lines = std::vector<std::string>;

#define ASSERT_OK(status)                                                      \
  do {                                                                         \
    Status result = (status);                                                  \
    ASSERT_TRUE(result.ok()) << result.message();                              \
  } while (false)

/// y = x w + b, then w += x' y, for x of 2 x 4 and w of 4 x 4. State: w
/// at 0, b at 256. With `tails`, the layer has a kernel for what stands beside
/// its product.
static HandMade makeProductsProgram(bool tails) {
  constexpr ElementType f32 = ElementType::F32;
  HandMade made;
  made.program.target = "cuda";
  Arg w = made.state("w", f32, {4, 4}), b = made.state("b", f32, {4});
  Arg y = made.arena(32);
  made.program.names = {"the layer"};
  auto layer =
      MatmulSpec{f32, f32, {2, 4}, {4, 4}, {2, 4}, false, false, true}.call();
  MatmulSpec update = {f32, f32, {2, 4}, {2, 4}, {4, 4}, true};
  update.addend = true;
  if (tails) {
    layer->tail_kernel = made.kernel("sum", {32, 16, 32});
    layer->tail_args = {2, 3, 2};
  }
  made.program.calls.push_back(std::move(layer));
  made.program.calls.push_back(update.call());
  made.entry("init");
  EntryT &step = made.entry("step");
  Arg x = HandMade::input(step, "x", f32, {2, 4});
  HandMade::record(step, RecordKind::Call, 0, {x, w, y, b}, 1, 1, 0);
  HandMade::record(step, RecordKind::Call, 1, {x, y, w, w});
  HandMade::output(step, "y", f32, {2, 4}, y);
  if (tails)
    addSection(made, "sm_80", CodeFormat::Cubin, 0, 1);
  return made;
}

/// y + b in the place of y.
static FakeKernel sum() {
  constexpr size_t word = sizeof(void *);
  return {"", {word, word, word}, [](const FakeLaunch &launch) {
            for (int i = 0; i < 8; ++i)
              pointer(launch, 2)[i] =
                  pointer(launch, 0)[i] + pointer(launch, 1)[i % 4];
            return std::string();
          }};
}

namespace {
struct ProductsOnFake : OnFake {
  explicit ProductsOnFake(bool tails = false)
      : OnFake(makeProductsProgram(tails)) {
    current = this;
    cuda.kernels["sum_0"] = sum();
    platform.openCublasLt = []() -> Result<const runtime::CublasLtApi *> {
      return &current->blas.api();
    };
    blas.submit = [this](cudaStream_t stream, std::function<void()> work) {
      (void)cuda.enqueue(stream, "product", std::move(work));
    };
    blas.onMatmul = [this](uint64_t algorithm) {
      ++products;
      last = algorithm;
    };
    std::strcpy(cuda.properties.name, "a card");
  }
  ~ProductsOnFake() { executor.reset(); }
  Status start() {
    if (Status status = open(); !status.ok())
      return status;
    std::vector<float> values(16 + 48 + 4);
    for (int i = 0; i < 16; ++i)
      values[static_cast<size_t>(i)] = static_cast<float>(i % 5 - 2);
    for (int i = 0; i < 4; ++i)
      values[static_cast<size_t>(64 + i)] = static_cast<float>(i);
    auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
    return executor->writeState(0, {bytes, values.size() * 4});
  }
  Status run() {
    const float x[8] = {1, 2, 3, 4, -1, 0, 1, 2};
    runtime::Input input = {x, sizeof x};
    return executor->run(kStep, {&input, 1});
  }
  static inline ProductsOnFake *current;
  runtime::fake::FakeCublasLt blas;
  int products = 0;
  uint64_t last = 0;
};
} // namespace

TEST(CudaProducts, AreNodesInTheirOrder) {
  ProductsOnFake made;
  ASSERT_OK(made.start());
  EXPECT_EQ(made.cuda.nodes(0), (Lines{"product first", "product after 0"}));
  EXPECT_EQ(made.products, 2 + 2); // once before the capture, once in it
  ASSERT_OK(made.run());
  ASSERT_OK(made.run());
  EXPECT_EQ(made.products, 4);
  EXPECT_EQ(made.executor->memory().planned.workspace,
            (4u << 20) + 256u) // and the input
      << "one workspace for all products";
}

// By hand: x w = {1, 2, 3, 4; -1, 0, 1, 2} times w, w[i] = i % 5 - 2 by rows:
// {-2, -1, 0, 1; 2, -2, -1, 0; 1, 2, -2, -1; 0, 1, 2, -2}.
TEST(CudaProducts, GiveTheProductsAndKeepTheStates) {
  ProductsOnFake made;
  ASSERT_OK(made.start());
  ASSERT_OK(made.run());
  auto bytes = made.executor->output(kStep, 0);
  ASSERT_TRUE(bytes);
  float y[8];
  std::memcpy(y, bytes->data(), sizeof y);
  // Row 0: -2+4+3+0, -1-4+6+4, 0-2-6+8, 1+0-3-8, plus b.
  // Row 1: 2+0+1+0, 1+0+2+2, 0+0-2+4, -1+0-1-4, plus b.
  const float expected[8] = {5, 6, 2, -7, 3, 6, 4, -3};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], expected[i]) << i;
  // w += x' y; what products wrote before states had values is gone.
  float w[16];
  auto *state = reinterpret_cast<uint8_t *>(w);
  ASSERT_OK(made.executor->readState(0, {state, sizeof w}));
  EXPECT_EQ(w[0], -2 + (1 * 5 + -1 * 3));
  EXPECT_EQ(w[1], -1 + (1 * 6 + -1 * 6));
  EXPECT_EQ(w[14], 2 + (4 * 2 + 2 * 4));
  EXPECT_EQ(w[15], -2 + (4 * -7 + 2 * -3));
}

/// What cuBLASLt has no algorithm for is a kernel of the program after the
/// plain product; the numbers are those of GiveTheProductsAndKeepTheStates.
TEST(CudaProducts, TailsTakeThePlaceOfMissingAlgorithms) {
  const float expected[8] = {5, 6, 2, -7, 3, 6, 4, -3};
  for (bool lacks : {false, true})
    for (bool nvtx : {false, true}) {
      ProductsOnFake made(true);
      made.options.nvtx = nvtx;
      if (lacks)
        made.blas.lacking = {CUBLASLT_EPILOGUE_BIAS};
      ASSERT_OK(made.start());
      if (!nvtx && lacks) {
        Lines nodes = made.cuda.nodes(0);
        ASSERT_EQ(nodes.size(), 3u);
        EXPECT_EQ(nodes[0], "product first");
        EXPECT_EQ(nodes[1].find("launch sum_0 4x128"), 0u) << nodes[1];
        EXPECT_EQ(nodes[1].substr(nodes[1].rfind(" after")), " after 0");
        EXPECT_EQ(nodes[2], "product after 1");
      } else if (!nvtx) {
        EXPECT_EQ(made.cuda.nodes(0),
                  (Lines{"product first", "product after 0"}));
      }
      ASSERT_OK(made.run());
      auto bytes = made.executor->output(kStep, 0);
      ASSERT_TRUE(bytes);
      float y[8];
      std::memcpy(y, bytes->data(), sizeof y);
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(y[i], expected[i]) << i;
      made.executor.reset();
      EXPECT_EQ(made.cuda.alive(), "");
      EXPECT_EQ(made.blas.live, 0);
    }
}

/// Older programs have none.
TEST(CudaProducts, WithoutATailAMissingAlgorithmIsAFailure) {
  ProductsOnFake made;
  made.blas.lacking = {CUBLASLT_EPILOGUE_BIAS};
  Status status = made.open();
  EXPECT_EQ(status.code(), StatusCode::LibraryError);
  EXPECT_NE(status.message().find(
                "compile the model with this version of mpc-compile"),
            std::string::npos)
      << status.message();
}

TEST(CudaProducts, PlansAreTunedExportedAndTaken) {
  std::vector<uint8_t> plans;
  {
    ProductsOnFake made;
    made.options.tuningMilliseconds = 1000;
    ASSERT_OK(made.start());
    EXPECT_GT(made.products, 50);
    auto exported = made.executor->exportPlans();
    ASSERT_TRUE(exported);
    plans = *exported;
    std::string text(plans.begin(), plans.end());
    EXPECT_NE(text.find("milliseconds"), std::string::npos);
    EXPECT_NE(text.find("a card (8.0)"), std::string::npos);
  }
  {
    ProductsOnFake made;
    made.options.plans = plans;
    ASSERT_OK(made.start());
    EXPECT_EQ(made.blas.heuristics, 0);
    EXPECT_EQ(*made.executor->exportPlans(), plans);
  }
  ProductsOnFake damaged;
  damaged.options.plans = {'?'};
  EXPECT_EQ(damaged.open().code(), StatusCode::InvalidArgument);
}

TEST(CudaProducts, AreNamedWhereTheyFail) {
  ProductsOnFake made;
  made.blas.proposals = 0;
  Status status = made.open();
  EXPECT_EQ(status.code(), StatusCode::LibraryError);
  EXPECT_EQ(status.message().find(
                "entry 'step', record 0 (the layer): matrix product 2x4xf32 * "
                "4x4xf32 -> 2x4xf32, with bias: cuBLASLt 130100 has no "
                "algorithm"),
            0u)
      << status.message();
}
