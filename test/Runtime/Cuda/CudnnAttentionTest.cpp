// Attention as a graph of cuDNN's operations: what it computes, which calls it
// is asked for, and every call that fails.
#include "Runtime/Cuda/Calls/Attention/CudnnAttention.h"
#include "AttentionCase.h"
#include "CudnnTest.h"
#include "Runtime/Cuda/Calls/Attention/AttentionGraph.h"

#include <cmath>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;
using program::AttentionCall;
using program::OperandRole;

namespace {
struct CudnnAttentionTest : CudnnTest {
  CudnnAttentionTest() { options.allowNondeterministic = true; }
  /// Runs a case; "" or what is wrong with it.
  std::string run(CudnnAttention &attention, const AttentionOnHost &made);
};
} // namespace

/// The largest difference in units of what rounding may do: an element of the
/// type for the value, and of the terms that are rounded before they are
/// summed.
static double worstError(const std::vector<double> &found,
                         const kernels::ReferenceValues &expected, DType type) {
  double unit = std::ldexp(1.0, -static_cast<int>(getInfo(type).mantissaBits)),
         worst = 0;
  EXPECT_EQ(found.size(), expected.values.size());
  for (size_t i = 0; i < found.size(); ++i) {
    double error = std::abs(found[i] - expected.values[i]) /
                   (unit * (expected.terms[i] + 1e-3));
    worst = std::isnan(error) ? 1e9 : std::max(worst, error);
  }
  return worst;
}

std::string CudnnAttentionTest::run(CudnnAttention &attention,
                                    const AttentionOnHost &made) {
  AttentionCall call(made.call());
  const Plan *plan = attention.find(call);
  if (!plan)
    return logged.back();
  std::vector<std::byte> workspace(CudnnAttention::workspaceBytes(call, *plan) +
                                   256);
  auto *at = reinterpret_cast<std::byte *>(
      (reinterpret_cast<uintptr_t>(workspace.data()) + 255) / 256 * 256);
  std::unique_ptr<LibraryCall> ready =
      attention.makeCall(made.call(), *plan, made.args());
  if (Status status = ready->enqueue(nullptr, at); !status.ok())
    return status.message();
  return failure;
}

TEST_F(CudnnAttentionTest, isAttention) {
  CudnnAttention attention(context());
  uint64_t number = 0;
  for (DType type : {DType::BF16, DType::F16})
    for (bool backward : {false, true})
      for (bool causal : {false, true})
        for (int64_t window : {0, 3})
          for (int64_t keyHeads : {1, 2, 4}) {
            AttentionShape shape = {.type = type,
                                    .batch = 2,
                                    .queries = 7,
                                    .keys = 7,
                                    .heads = 4,
                                    .keyHeads = keyHeads,
                                    .width = 8,
                                    .valueWidth = 16,
                                    .causal = causal,
                                    .window = window,
                                    .backward = backward};
            if (++number % 2 == 0) {
              shape.isPacked = true;
              shape.valueWidth = shape.width;
            } else {
              shape.keys = 9;
            }
            shape.storesSums = backward || number % 3 != 0;
            AttentionOnHost made(shape);
            kernels::ReferenceForward forward =
                kernels::referenceForward(made.problem());
            ASSERT_EQ(run(attention, made), "") << describe(shape);
            if (!backward) {
              EXPECT_LT(worstError(made.read(OperandRole::Result),
                                   forward.result, type),
                        2)
                  << describe(shape);
              if (!shape.storesSums)
                continue;
              std::vector<double> sums = made.read(OperandRole::LogSumExp);
              for (size_t i = 0; i < sums.size(); ++i)
                EXPECT_NEAR(sums[i], forward.logSumExp[i], 1e-5)
                    << describe(shape);
              continue;
            }
            kernels::ReferenceBackward expected =
                kernels::referenceBackward(made.problem());
            EXPECT_LT(worstError(made.read(OperandRole::QueryGradient),
                                 expected.queryGradient, type),
                      2)
                << describe(shape);
            EXPECT_LT(worstError(made.read(OperandRole::KeyGradient),
                                 expected.keyGradient, type),
                      2)
                << describe(shape);
            EXPECT_LT(worstError(made.read(OperandRole::ValueGradient),
                                 expected.valueGradient, type),
                      2)
                << describe(shape);
          }
  EXPECT_EQ(cudnn.executed, 48);
}

static AttentionShape makeSmall(bool backward = false) {
  return {.queries = 3, .keys = 3, .causal = true, .backward = backward};
}

TEST_F(CudnnAttentionTest, plansAProblemOnce) {
  CudnnAttention attention(context());
  AttentionOnHost first(makeSmall()), second(makeSmall()),
      gradient(makeSmall(true));
  const Plan *plan = attention.find(AttentionCall(first.call()));
  ASSERT_TRUE(plan);
  EXPECT_EQ(attention.find(AttentionCall(second.call())), plan);
  EXPECT_EQ(logged, std::vector<std::string>(
                        {"bf16 attention [1, 3, 1, 8] by 1 heads of 3 keys, "
                         "causal, forward: cuDNN, with 256 bytes of "
                         "workspace"}));
  EXPECT_NE(attention.find(AttentionCall(gradient.call())), plan);
  EXPECT_EQ(cudnn.plans, 2);
}

/// What cuDNN takes is not mistaken for what it does not, whichever came first.
TEST_F(CudnnAttentionTest, tellsProblemsApart) {
  AttentionShape small = makeSmall(), masked = makeSmall();
  masked.isMasked = true;
  const AttentionOnHost plain(small);
  const AttentionOnHost others[] = {
      AttentionOnHost(masked),
      AttentionOnHost(small, [](auto &options) { options.softcap = 2; }),
      AttentionOnHost(small, [](auto &options) { options.dropout = 0.5; }),
      AttentionOnHost(small, [](auto &options) { options.scale = -1; })};
  for (const AttentionOnHost &other : others) {
    CudnnAttention attention(context());
    EXPECT_TRUE(attention.find(AttentionCall(plain.call())));
    EXPECT_FALSE(attention.find(AttentionCall(other.call())));
    CudnnAttention anew(context());
    EXPECT_FALSE(anew.find(AttentionCall(other.call())));
    EXPECT_TRUE(anew.find(AttentionCall(plain.call())));
  }
}

/// cudnnDestroy synchronizes whichever device is current.
TEST_F(CudnnAttentionTest, isClosedOnItsDevice) {
  std::vector<int> closedOn;
  cudnn.closes = [&] { closedOn.push_back(currentDevice); };
  {
    CudnnAttention attention(context());
    AttentionOnHost made(makeSmall());
    EXPECT_TRUE(attention.find(AttentionCall(made.call())));
  }
  EXPECT_EQ(closedOn, std::vector{1});
  EXPECT_EQ(currentDevice, 0);
}

TEST_F(CudnnAttentionTest, triesEnginesInTheirOrder) {
  CudnnAttention attention(context());
  AttentionOnHost made(makeSmall()), gradient(makeSmall(true));
  cudnn.broken = 1;
  EXPECT_TRUE(attention.find(AttentionCall(made.call())));
  cudnn.broken = 2;
  EXPECT_FALSE(attention.find(AttentionCall(gradient.call())));
  EXPECT_EQ(logged.back(),
            "bf16 attention [1, 3, 1, 8] by 1 heads of 3 keys, causal, "
            "backward: kernels of mpc's own, not cuDNN: cudnnBackendFinalize "
            "of a plan: CUDNN_STATUS_NOT_SUPPORTED, as the fake says");
  cudnn.proposals = 0;
  AttentionShape other = makeSmall();
  other.causal = false;
  AttentionOnHost last(other);
  EXPECT_FALSE(attention.find(AttentionCall(last.call())));
  EXPECT_TRUE(logged.back().ends_with("not cuDNN: no engine was proposed"))
      << logged.back();
}

TEST_F(CudnnAttentionTest, isAskedForWhatItTakes) {
  CudnnAttention attention(context());
  auto reason = [&](
                    const AttentionShape &shape,
                    const std::function<void(program::AttentionT &)> &change =
                        [](program::AttentionT &) {}) {
    AttentionOnHost made(shape, change);
    EXPECT_FALSE(attention.find(AttentionCall(made.call())));
    const std::string &text = logged.back(), mark = "not cuDNN: ";
    return text.substr(text.find(mark) + mark.size());
  };
  AttentionShape shape = makeSmall();
  shape.type = DType::F32;
  EXPECT_EQ(reason(shape), "its engines take f16 and bf16");
  shape = makeSmall();
  EXPECT_EQ(reason(shape, [](auto &options) { options.softcap = 2; }),
            "scores are capped");
  shape.scale = 0.5;
  EXPECT_EQ(reason(shape, [](auto &options) { options.dropout = 0.5; }),
            "it would drop other weights than the CPU does");
  shape.width = 12;
  EXPECT_EQ(reason(shape), "its engines take widths that are multiples of 8");
  shape = makeSmall();
  shape.skip = 4;
  EXPECT_EQ(reason(shape), "its engines take rows at multiples of 16 bytes");
  shape = makeSmall();
  shape.isMasked = true;
  EXPECT_EQ(reason(shape), "it would give NaN to queries that a mask hides all "
                           "keys from");
  shape = makeSmall();
  shape.scale = 0;
  EXPECT_EQ(reason(shape),
            "its engines take the maximum of scores before they are scaled");
  shape = makeSmall();
  shape.window = 2;
  shape.queries = 4;
  EXPECT_EQ(reason(shape),
            "its engines take windows of as many queries as keys, or fewer");
  shape.window = 4; // holds all there is
  AttentionOnHost seen(shape);
  EXPECT_TRUE(attention.find(AttentionCall(seen.call())));
  EXPECT_EQ(cudnn.plans, 1);
}

TEST_F(CudnnAttentionTest, isAskedForRowsOfTheirOwn) {
  AttentionShape shape = makeSmall();
  shape.batch = 2;
  shape.heads = shape.keyHeads = 2;
  for (auto [dim, stride] : {std::pair(0, 0), std::pair(1, 8), std::pair(2, 0),
                             std::pair(1, 20), std::pair(0, 44)}) {
    AttentionOnHost made(shape);
    auto &operand =
        const_cast<program::CallOperand &>(*AttentionCall(made.call()).key);
    const_cast<flatbuffers::Vector<int64_t> *>(operand.strides())
        ->Mutate(static_cast<flatbuffers::uoffset_t>(dim), stride);
    EXPECT_EQ(findAttentionObstacle(AttentionCall(made.call())),
              stride % 8 ? "its engines take rows at multiples of 16 bytes"
                         : "rows share elements")
        << dim << ", " << stride;
  }
  shape.isPacked = true;
  AttentionOnHost packed(shape);
  EXPECT_EQ(findAttentionObstacle(AttentionCall(packed.call())), "");
}

TEST_F(CudnnAttentionTest, isAskedForAllGradients) {
  AttentionShape shape = makeSmall(true);
  AttentionOnHost whole(shape);
  AttentionCall call(whole.call());
  EXPECT_EQ(findAttentionObstacle(call), "");
  call.keyGradient = nullptr;
  EXPECT_EQ(findAttentionObstacle(call), "not all gradients are asked for");
  shape.queries = shape.keys = 1;
  AttentionOnHost one(shape);
  EXPECT_EQ(findAttentionObstacle(AttentionCall(one.call())),
            "its engines have no gradient of one query by one key");
}

TEST_F(CudnnAttentionTest, isNotAskedWhereAVersionIsWrong) {
  AttentionShape shape = makeSmall(true);
  AttentionOnHost gradient(shape);
  AttentionCall call(gradient.call());
  EXPECT_EQ(findVersionObstacle(call, 91500),
            "before 9.15.1 its gradients are wrong where keys are no multiple "
            "of 128");
  EXPECT_EQ(findVersionObstacle(call, 91501), "");
  shape = makeSmall();
  EXPECT_EQ(
      findVersionObstacle(AttentionCall(AttentionOnHost(shape).call()), 91100),
      "");
  shape.causal = false;
  shape.queries = shape.keys = 1032;
  shape.window = 5;
  AttentionOnHost window(shape);
  EXPECT_EQ(findVersionObstacle(AttentionCall(window.call()), 91400),
            "in 9.14 windows of more than 1024 keys are wrong");
  EXPECT_EQ(findVersionObstacle(AttentionCall(window.call()), 91300), "");
}

TEST_F(CudnnAttentionTest, isLeftOutWhereTheOptionsSaySo) {
  options.allowNondeterministic = false;
  AttentionOnHost forward(makeSmall()), gradient(makeSmall(true));
  CudnnAttention ordered(context());
  EXPECT_TRUE(ordered.find(AttentionCall(forward.call())));
  EXPECT_FALSE(ordered.find(AttentionCall(gradient.call())));
  EXPECT_TRUE(logged.back().ends_with(
      "not cuDNN: the order of its sums is left to chance, and "
      "allow_nondeterministic is not given"))
      << logged.back();
  options.ownAttention = true;
  CudnnAttention own(context());
  EXPECT_FALSE(own.find(AttentionCall(forward.call())));
  EXPECT_TRUE(logged.back().ends_with("not cuDNN: own_attention is given"));
}

TEST_F(CudnnAttentionTest, isLeftOutWhereItIsMissingOrOld) {
  AttentionOnHost made(makeSmall());
  hasCudnn = false;
  CudnnAttention missing(context());
  EXPECT_FALSE(missing.find(AttentionCall(made.call())));
  EXPECT_TRUE(logged.back().ends_with("not cuDNN: no cuDNN here"));
  hasCudnn = true;
  cudnn.version = 91002;
  CudnnAttention old(context());
  EXPECT_FALSE(old.find(AttentionCall(made.call())));
  EXPECT_TRUE(logged.back().ends_with("not cuDNN: expected cuDNN 9.11 or "
                                      "newer, but found version 91002"));
}

TEST_F(CudnnAttentionTest, leavesNothingWhereACallFails) {
  AttentionOnHost made(makeSmall(true));
  int calls = 1000;
  for (int n = 0; n <= calls; ++n) {
    int count = 0;
    std::string failed;
    cudnn.interfere = [&](const char *name) {
      if (++count != n)
        return CUDNN_STATUS_SUCCESS;
      failed = name;
      return CUDNN_STATUS_INTERNAL_ERROR;
    };
    {
      CudnnAttention attention(context());
      logged.clear();
      std::string text = run(attention, made);
      if (n == 0) {
        EXPECT_EQ(text, "");
        calls = count;
      } else if (!text.empty()) { // else another engine was taken
        EXPECT_NE(text.find(failed), std::string::npos) << text;
      }
    }
    EXPECT_EQ(cudnn.live, 0) << "call " << n;
  }
  EXPECT_GT(calls, 100);
}

/// A plan that was made may not run: the session begins by kernels of our own.
TEST_F(CudnnAttentionTest, isLeftWhereItsPlanFails) {
  static int launches;
  launches = 0;
  cuda.cudaFuncSetAttribute = [](const void *, cudaFuncAttribute, int) {
    return cudaSuccess;
  };
  cuda.cudaLaunchKernelExC = [](const cudaLaunchConfig_t *, const void *,
                                void **) {
    ++launches;
    return cudaSuccess;
  };
  cuda.cudaStreamSynchronize = [](cudaStream_t) { return cudaSuccess; };
  cudnn.interfere = [&](std::string_view name) {
    return name == "cudnnBackendExecute" ? CUDNN_STATUS_EXECUTION_FAILED
                                         : CUDNN_STATUS_SUCCESS;
  };
  AttentionOnHost made(makeSmall());
  const program::Call &call = made.call();
  auto library = getLibrary(*call.options_as_Attention())(context());
  ASSERT_TRUE(library);
  std::vector<std::byte> workspace((*library)->workspaceBytes(call) + 256);
  auto ready = (*library)->makeCall(call, made.args(), false);
  ASSERT_TRUE(ready) << ready.status().message();
  LibraryCall *calls[] = {ready->get()};
  EXPECT_TRUE((*library)->prepare(calls, workspace.data(), nullptr).ok());
  EXPECT_EQ(launches, 1);
  EXPECT_NE(logged.back().find("forward: kernels of mpc's own after all, since "
                               "cudnnBackendExecute"),
            std::string::npos)
      << logged.back();
  EXPECT_TRUE((*ready)->enqueue(nullptr, workspace.data()).ok());
  EXPECT_EQ(launches, 2);
}
