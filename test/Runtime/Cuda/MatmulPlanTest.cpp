// Which algorithm a product gets: the first proposal, a remembered plan, or the
// fastest by the clock of a device that takes as long as the test says.
#include "MatmulCase.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using testing::Test;

namespace {
/// A device that does nothing but let time pass.
struct FakeTime {
  static inline double now; ///< milliseconds
  static inline int live, waits;
  static inline std::vector<double> events;

  static CudaApi makeTable() {
    now = 0;
    live = waits = 0;
    events.clear();
    CudaApi api;
    api.cudaEventCreateWithFlags = [](cudaEvent_t *event, unsigned) {
      events.push_back(0);
      *event = reinterpret_cast<cudaEvent_t>(events.size());
      ++live;
      return cudaSuccess;
    };
    api.cudaEventDestroy = [](cudaEvent_t) {
      --live;
      return cudaSuccess;
    };
    api.cudaEventRecord = [](cudaEvent_t event, cudaStream_t) {
      at(event) = now;
      return cudaSuccess;
    };
    api.cudaEventSynchronize = [](cudaEvent_t) { return cudaSuccess; };
    api.cudaEventElapsedTime = [](float *time, cudaEvent_t a, cudaEvent_t b) {
      *time = static_cast<float>(at(b) - at(a));
      return cudaSuccess;
    };
    api.cudaMemcpyAsync = [](void *to, const void *from, size_t bytes,
                             cudaMemcpyKind, cudaStream_t) {
      std::memcpy(to, from, bytes);
      return cudaSuccess;
    };
    api.cudaStreamSynchronize = [](cudaStream_t) {
      ++waits;
      return cudaSuccess;
    };
    api.cudaGetErrorName = [](cudaError_t) { return "cudaErrorUnknown"; };
    api.cudaGetErrorString = [](cudaError_t) { return "unknown error"; };
    return api;
  }
  static double &at(cudaEvent_t event) {
    return events[reinterpret_cast<size_t>(event) - 1];
  }
};

class Plans : public Test {
protected:
  Plans()
      : cuda(FakeTime::makeTable()),
        product(ElementType::F16, {16, 32}, {32, 48}), with(product, 1),
        workspace(ElementType::F32, {4096}) {
    library.onMatmul = [this](uint64_t algorithm) {
      ran.push_back(algorithm);
      FakeTime::now += duration(algorithm);
    };
  }

  std::unique_ptr<CublasLt> open(CublasLtOptions options = {}) {
    options.log = [this](LogLevel, const std::string &text) {
      log.push_back(text);
    };
    options.clock = [] { return FakeTime::now; };
    auto made = CublasLt::create(library.api(), cuda, device, options);
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  CublasLtMatmul make(CublasLt &blas) {
    auto made = blas.make(product.call(),
                          readPointers(product.call(), with.arguments()));
    EXPECT_TRUE(made) << made.status().message();
    return std::move(*made);
  }
  Status prepare(CublasLt &blas, std::vector<LibraryCall *> products) {
    return blas.prepare(products, workspace.data(), nullptr);
  }
  uint64_t chosen(CublasLtMatmul &matmul) {
    EXPECT_TRUE(matmul.enqueue(nullptr, workspace.data()).ok());
    return ran.back();
  }

  FakeCublasLt library;
  CudaApi cuda;
  BlasDevice device = {"a card", 90};
  MatmulCase product;
  Operands with;
  Tensor workspace;
  std::vector<uint64_t> ran; ///< algorithms, in order
  std::vector<std::string> log;
  /// Milliseconds that an algorithm takes.
  std::function<double(uint64_t)> duration = [](uint64_t algorithm) {
    return algorithm == 2 ? 1.0 : 3.0;
  };
};
} // namespace

TEST_F(Plans, theFirstProposalWithoutTuning) {
  auto blas = open();
  CublasLtMatmul matmul = make(*blas);
  ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
  // Run once, so that a capture meets nothing new.
  EXPECT_EQ(ran, std::vector<uint64_t>{0});
  EXPECT_EQ(FakeTime::waits, 1);
  EXPECT_EQ(chosen(matmul), 0u);
  EXPECT_TRUE(log.empty());
}

TEST_F(Plans, equalProductsAreProposedOnce) {
  auto blas = open();
  CublasLtMatmul first = make(*blas), second = make(*blas);
  EXPECT_EQ(first.key(), second.key());
  EXPECT_EQ(library.heuristics, 1);
}

TEST_F(Plans, proposalsAreAskedWithTrueAlignments) {
  auto blas = open();
  std::vector<void *> arguments = with.arguments();
  auto moved = [&](size_t index, size_t bytes) {
    std::vector<void *> result = arguments;
    result[index] = static_cast<uint8_t *>(result[index]) + bytes;
    return readPointers(product.call(), result);
  };
  using Alignments = std::array<uint32_t, 4>;
  auto asked = [&] { return std::to_array(library.asked.alignment); };
  ASSERT_TRUE(blas->make(product.call(), moved(0, 0)));
  EXPECT_EQ(asked(), (Alignments{256, 256, 256, 256}));
  // A is our rhs, B our lhs.
  ASSERT_TRUE(blas->make(product.call(), moved(0, 16)));
  EXPECT_EQ(asked(), (Alignments{256, 16, 256, 256}));
  ASSERT_TRUE(blas->make(product.call(), moved(1, 2)));
  EXPECT_EQ(asked(), (Alignments{2, 256, 256, 256}));
  ASSERT_TRUE(blas->make(product.call(), moved(2, 384)));
  EXPECT_EQ(asked(), (Alignments{256, 256, 128, 128}));
}

TEST_F(Plans, callsOfOneProductShareTheLeastAlignment) {
  MatmulCase batch(ElementType::F16, {3, 1, 2, 4}, {5, 4, 6});
  auto blas = toBlas(program::MatmulCall(batch.call()), {});
  ASSERT_TRUE(blas);
  ASSERT_EQ(blas->parts.size(), 3u);
  Operands operands(batch, 1);
  BlasAlignments found =
      findAlignments(*blas, readPointers(batch.call(), operands.arguments()));
  EXPECT_EQ(found.a, 256u); // each call begins at the first matrix of rhs
  EXPECT_EQ(found.b, 16u);  // 2 x 4 numbers of 2 bytes
  EXPECT_EQ(found.d, 8u);   // 5 x 2 x 6 of them
}

/// Heads in rows of [time, 3, heads, width], and columns of the same: leading
/// dims and one batch stride, no copies and no further calls.
TEST_F(Plans, operandsAreReadInPlace) {
  test::MatmulSpec spec = {
      ElementType::F16, ElementType::F16, {4, 16, 8}, {4, 8, 16}, {4, 16, 16}};
  std::unique_ptr<program::CallT> heads = spec.call();
  heads->operands[0]->strides = {8, 96, 1};
  heads->operands[1]->strides = {8, 1, 96};
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, heads.get()));
  auto &call = *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  ASSERT_TRUE(program::verifyCall(call, true).ok());
  auto blas = toBlas(program::MatmulCall(call), {});
  ASSERT_TRUE(blas) << blas.status().message();
  EXPECT_EQ(blas->parts.size(), 1u);
  EXPECT_EQ(blas->batch, 4);
  EXPECT_TRUE(blas->transposeA); // our rhs
  EXPECT_FALSE(blas->transposeB);
  for (const BlasMatrix *matrix : {&blas->a, &blas->b}) {
    EXPECT_EQ(matrix->rows, 8);
    EXPECT_EQ(matrix->columns, 16);
    EXPECT_EQ(matrix->leading, 96);
    EXPECT_EQ(matrix->stride, 8);
  }
  EXPECT_EQ(blas->d.leading, 16);
  EXPECT_EQ(describe(program::MatmulCall(call)),
            "4x16x8xf16 of rows 96 apart * 4x16x8xf16 of rows 96 apart "
            "(transposed) -> 4x16x16xf16");
}

TEST_F(Plans, sumsOfSplitProductsHaveAnOrder) {
  auto schemes = [&](ElementType result, bool deterministic) {
    auto blas = open({.deterministic = deterministic});
    MatmulCase other(ElementType::F16, {16, 32}, {32, 48});
    other.result(result);
    Operands operands(other, 1);
    EXPECT_TRUE(blas->make(other.call(),
                           readPointers(other.call(), operands.arguments())));
    return library.asked.reductionSchemes;
  };
  constexpr uint32_t ordered = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  EXPECT_EQ(schemes(ElementType::F16, true), ordered);
  EXPECT_EQ(schemes(ElementType::F32, true), ordered);
  EXPECT_EQ(schemes(ElementType::F32, false),
            ordered | CUBLASLT_REDUCTION_SCHEME_INPLACE);
  // Partial sums in 16 bits would round.
  EXPECT_EQ(schemes(ElementType::F16, false), ordered);
}

TEST_F(Plans, theWorkspaceDependsOnTheDevice) {
  EXPECT_EQ(CublasLt::workspaceBytes(80), 4u << 20);
  EXPECT_EQ(CublasLt::workspaceBytes(90), 32u << 20);
  EXPECT_EQ(CublasLt::workspaceBytes(120), 32u << 20);
  device.computeCapability = 86;
  auto blas = open();
  make(*blas);
  EXPECT_EQ(library.asked.workspace, 4u << 20);
}

TEST_F(Plans, tuningFindsTheFastest) {
  auto blas = open({.tuningBudget = 1e6});
  CublasLtMatmul matmul = make(*blas);
  ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
  EXPECT_EQ(chosen(matmul), 2u);
  EXPECT_EQ(matmul.workspaceBytes(), 2048u);
  // They take turns.
  EXPECT_EQ(std::vector<uint64_t>(ran.begin(), ran.begin() + 6),
            (std::vector<uint64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(FakeTime::live, 0);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0], "matrix product 16x32xf16 * 32x48xf16 -> 16x48xf16: "
                    "1000.000000 us, best of 3 in 20 rounds");
}

/// Whether they are numbers as a model has them: below 2, and few are equal.
static bool areRandom(const Tensor &tensor) {
  std::set<double> different;
  if (tensor.type == ElementType::F8E4M3) {
    // 0x40 is 2 in e4m3, and what is no number lies above.
    const auto *codes = static_cast<const uint8_t *>(tensor.data());
    for (int64_t i = 0; i < tensor.count(); ++i)
      different.insert(codes[i] & 0x7f);
    return different.size() > 16 && *different.rbegin() < 0x40;
  }
  for (double value : tensor.values()) {
    if (value == 0 || !(std::fabs(value) < 2))
      return false;
    different.insert(value);
  }
  return different.size() > 16;
}

// Nothing was written before products are timed, and zeros, which a device
// multiplies faster, would decide.
TEST_F(Plans, tuningMultipliesNumbers) {
  using enum ElementType;
  for (ElementType type : {F64, F32, F16, BF16, F8E4M3}) {
    MatmulCase given(type, {16, 32}, {32, 48});
    bool isNarrow = type == F8E4M3;
    if (isNarrow)
      given.result(BF16).transpose(false, true);
    given.spec.bias = given.spec.addend = !isNarrow;
    Operands operands(given, 1);
    std::vector<const Tensor *> read = {&operands.lhs, &operands.rhs};
    if (!isNarrow)
      read.insert(read.end(), {&operands.bias, &operands.addend});
    for (double budget : {0.0, 1e6}) {
      for (const Tensor *tensor : read)
        std::memset(tensor->data(), 0, tensor->bytes());
      auto blas = open({.tuningBudget = budget});
      auto made = blas->make(given.call(),
                             readPointers(given.call(), operands.arguments()));
      ASSERT_TRUE(made) << made.status().message();
      int random = 0, runs = 0;
      library.onMatmul = [&](uint64_t algorithm) {
        random += std::ranges::all_of(
            read, [](const Tensor *tensor) { return areRandom(*tensor); });
        FakeTime::now += duration(algorithm);
        ++runs;
      };
      ASSERT_TRUE(prepare(*blas, {&*made}).ok());
      EXPECT_EQ(random, budget > 0 ? runs : 0) << given.text();
      for (const Tensor *tensor : read)
        EXPECT_TRUE(tensor->intact()) << given.text();
    }
  }
}

// More than comes from the host at once, and an odd rest.
TEST_F(Plans, tuningFillsLargeOperands) {
  MatmulCase large(ElementType::F32, {1, 700001}, {700001, 1});
  Operands operands(large, 1);
  std::memset(operands.lhs.data(), 0, operands.lhs.bytes());
  auto blas = open({.tuningBudget = 1e6});
  auto made = blas->make(large.call(),
                         readPointers(large.call(), operands.arguments()));
  ASSERT_TRUE(made) << made.status().message();
  ASSERT_TRUE(prepare(*blas, {&*made}).ok());
  EXPECT_TRUE(areRandom(operands.lhs));
  EXPECT_TRUE(operands.lhs.intact());
}

TEST_F(Plans, oneSlowRunDoesNotDecide) {
  int runs = 0;
  duration = [&](uint64_t algorithm) {
    bool disturbed = algorithm == 2 && ++runs % 5 == 0;
    return disturbed ? 100.0 : algorithm == 2 ? 1.0 : 3.0;
  };
  auto blas = open({.tuningBudget = 1e6});
  CublasLtMatmul matmul = make(*blas);
  ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
  EXPECT_EQ(chosen(matmul), 2u);
}

TEST_F(Plans, theBudgetIsKept) {
  // A round takes 7 ms: one to load kernels, and two more begin before 15 ms.
  auto blas = open({.tuningBudget = 15});
  CublasLtMatmul matmul = make(*blas);
  ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
  EXPECT_EQ(ran.size(), 3 * 3 + 1u);
  EXPECT_EQ(chosen(matmul), 2u);

  auto poor = open({.tuningBudget = 1});
  CublasLtMatmul untuned = make(*poor);
  log.clear();
  ASSERT_TRUE(prepare(*poor, {&untuned}).ok());
  EXPECT_EQ(chosen(untuned), 0u);
  EXPECT_EQ(log, std::vector<std::string>{
                     "matrix product 16x32xf16 * 32x48xf16 -> 16x48xf16: the "
                     "tuning budget did not last for it"});
}

TEST_F(Plans, theBudgetIsSharedByDifferentProducts) {
  MatmulCase other(ElementType::F16, {16, 32}, {32, 64});
  Operands operands(other, 1);
  auto blas = open({.tuningBudget = 60});
  CublasLtMatmul first = make(*blas), again = make(*blas);
  auto second = blas->make(other.call(),
                           readPointers(other.call(), operands.arguments()));
  ASSERT_TRUE(second);
  ASSERT_TRUE(prepare(*blas, {&first, &again, &*second}).ok());
  EXPECT_EQ(log.size(), 2u); // Equal products are timed once.
  EXPECT_LE(FakeTime::now, 60 + 7 + 3);
  for (CublasLtMatmul *matmul : {&first, &again, &*second})
    EXPECT_EQ(chosen(*matmul), 2u);
}

TEST_F(Plans, proposalsThatDoNotRunAreLeftOut) {
  int calls = 0;
  library.interfere = [&](const char *function) {
    bool product = std::string(function) == "cublasLtMatmul";
    return product && calls++ == 2 ? CUBLAS_STATUS_INTERNAL_ERROR
                                   : CUBLAS_STATUS_SUCCESS;
  };
  duration = [](uint64_t algorithm) { return algorithm == 1 ? 2.0 : 3.0; };
  auto blas = open({.tuningBudget = 1e6});
  CublasLtMatmul matmul = make(*blas);
  ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
  EXPECT_EQ(chosen(matmul), 1u);
  EXPECT_EQ(std::count(ran.begin(), ran.end(), 2u), 0);
}

TEST_F(Plans, plansAreExportedAndImported) {
  std::string text;
  {
    auto blas = open({.tuningBudget = 1e6});
    CublasLtMatmul matmul = make(*blas);
    ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
    text = blas->writePlans();
  }
  EXPECT_NE(text.find("\"device\": \"a card (9.0)\""), std::string::npos);
  library.heuristics = 0;
  ran.clear();
  for (double budget : {0.0, 1e6}) {
    auto blas = open({.tuningBudget = budget});
    ASSERT_TRUE(blas->readPlans(text).ok());
    CublasLtMatmul matmul = make(*blas);
    ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
    EXPECT_EQ(ran, std::vector<uint64_t>{2});
    EXPECT_EQ(library.heuristics, 0);
    EXPECT_EQ(blas->writePlans(), text);
    ran.clear();
  }
}

TEST_F(Plans, plansThatWereNotTimedAreTunedOnRequest) {
  auto guessing = open();
  make(*guessing);
  auto blas = open({.tuningBudget = 1e6});
  ASSERT_TRUE(blas->readPlans(guessing->writePlans()).ok());
  CublasLtMatmul matmul = make(*blas);
  ASSERT_TRUE(prepare(*blas, {&matmul}).ok());
  EXPECT_EQ(chosen(matmul), 2u);
}

TEST_F(Plans, plansForOthersAreIgnored) {
  auto blas = open();
  make(*blas);
  std::string text = blas->writePlans();
  library.version = 130200;
  auto newer = open();
  ASSERT_TRUE(newer->readPlans(text).ok());
  EXPECT_EQ(log, std::vector<std::string>{
                     "ignoring 1 plans of matrix products: they are for "
                     "cuBLASLt 130100 on 'a card (9.0)', but this is cuBLASLt "
                     "130200 on 'a card (9.0)'"});
  library.version = 130100;
  device.name = "another card";
  log.clear();
  ASSERT_TRUE(open()->readPlans(text).ok());
  EXPECT_EQ(log.size(), 1u);
}

TEST_F(Plans, aPlanThatCublasLtRefusesIsIgnored) {
  auto blas = open();
  make(*blas);
  std::string text = blas->writePlans();
  size_t digits = text.find("\"algorithm\": \"") + 14;
  text[digits] = text[digits] == '0' ? '1' : '0'; // in the first word
  auto other = open();
  ASSERT_TRUE(other->readPlans(text).ok());
  CublasLtMatmul matmul = make(*other);
  EXPECT_EQ(log, std::vector<std::string>{
                     "ignoring the plan of 16x32xf16 * 32x48xf16 -> 16x48xf16: "
                     "cuBLASLt does not accept it here"});
  EXPECT_EQ(chosen(matmul), 0u);
}

TEST_F(Plans, damagedPlansAreRefused) {
  auto blas = open();
  make(*blas);
  std::string text = blas->writePlans();
  auto without = [&](const std::string &part, const std::string &by) {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), by);
    return open()->readPlans(changed);
  };
  const std::string expected = "expected the plans of matrix products as a "
                               "session exports them, but ";
  for (const char *nonsense : {"", "{", "[]", "12", "{\"format\": 3}"}) {
    Status status = open()->readPlans(nonsense);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), expected + "this is something else");
  }
  EXPECT_EQ(without("\"version\": 1", "\"version\": 2").message(),
            expected + "they have version 2 and not 1; export them again");
  EXPECT_EQ(without("\"device\"", "\"card\"").message(),
            expected + "the library, the device or the list is missing");
  for (auto [part, by] : {std::pair("\"workspace\": 0", "\"workspace\": -1"),
                          std::pair("\"algorithm\": \"", "\"algorithm\": \"0"),
                          std::pair("\"algorithm\": \"7", "\"algorithm\": \"x"),
                          std::pair("\"product\"", "\"name\"")})
    EXPECT_EQ(without(part, by).message(), expected + "plan 0 is damaged");
}
