// An overflow at every op of the test models in turn, forward and backward: the
// explanation has to name that op. The goal is 99 %.
#include "Injection.h"
#include "Train/Diagnosis/OverflowExplanation.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc;
using namespace mpc::train;
using mpc::test::InjectionSite;

namespace {

struct Count {
  size_t right = 0, all = 0;
};
/// Over all models.
Count total;

template <typename T> void put(data::Bytes &bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// Floats in [-1, 1), labels below 10, a triangular mask, and no injection.
data::Bytes makeInput(const mpc_tensor_info &input) {
  data::Bytes bytes(input.bytes);
  if (std::string_view(input.name).starts_with("inject."))
    return bytes;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  size_t columns = input.rank == 0 ? 1 : size_t(input.shape[input.rank - 1]);
  size_t count = input.bytes / getInfo(typeOf(input)).bytes;
  for (size_t i = 0; i < count; ++i)
    if (input.type == MPC_F32)
      put(bytes, i, uniform(random));
    else if (input.type == MPC_I32)
      put(bytes, i, int32_t(i % 10));
    else if (input.type == MPC_I1)
      put(bytes, i, uint8_t(i % columns <= i / columns));
  return bytes;
}

class InjectedOverflow
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  void SetUp() override {
    auto [model, precision] = GetParam();
    PipelineOptions options;
    setOption(options, "precision", precision);
    setOption(options, "loss-scale", "dynamic");
    setOption(options, "scale-init", "16");
    auto written =
        mpc::test::writeInjectedProbe(std::string(MPC_SOURCE_DIR) + "/" + model,
                                      options, folder.file("probe.mpcx"));
    ASSERT_TRUE(written) << written.status().message();
    sites = *written;
    rt::Program twin =
        loadProgram({folder.file("probe.mpcx"), /*allowCode=*/true});
    inputs = requireEntry(twin, "probe").inputs;
    for (const mpc_tensor_info &input : inputs)
      batch.inputs.push_back(makeInput(input));
    probe = std::make_unique<Probe>(std::move(twin), /*threads=*/1);
  }

  static void setOption(PipelineOptions &options, StringRef name,
                        StringRef value) {
    for (const PipelineOption &option : pipelineOptions())
      if (option.name == name)
        option.field(options) = value.str();
  }

  void inject(const InjectionSite &site, float amount) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (site.input == inputs[i].name)
        put(batch.inputs[i], 0, amount);
  }

  bool isNamed(const InjectionSite &site) {
    auto values = probe->observe(batch);
    OverflowExplanation found = explainOverflow(values);
    if (!found.first)
      return false;
    const ProbeFacts &first = *values[*found.first].facts;
    bool isRight =
        first.location == site.location && first.isBackward == site.isBackward;
    if (!isRight)
      std::printf("%s at %s: named %s at %s\n", site.op.c_str(),
                  site.location.c_str(), first.what.c_str(),
                  first.location.c_str());
    return isRight;
  }

  TemporaryFolder folder;
  std::vector<InjectionSite> sites;
  std::vector<mpc_tensor_info> inputs; ///< Of the probe, which stays.
  data::Batch batch;
  std::unique_ptr<Probe> probe;
};

TEST_P(InjectedOverflow, NamesTheOp) {
  auto finite = probe->observe(batch);
  ASSERT_FALSE(explainOverflow(finite).first.has_value())
      << describe(explainOverflow(finite), finite);
  size_t right = 0;
  for (const InjectionSite &site : sites) {
    inject(site, std::numeric_limits<float>::max());
    right += isNamed(site);
    inject(site, 0);
  }
  total.right += right;
  total.all += sites.size();
  std::printf("%zu of %zu ops named\n", right, sites.size());
  EXPECT_GE(double(right), 0.99 * double(sites.size()));
}

/// The rate over all models.
class Rate : public testing::Environment {
  void TearDown() override {
    std::printf("injected overflows: %zu of %zu ops named, %.2f %%\n",
                total.right, total.all,
                100.0 * double(total.right) / double(total.all));
  }
};
[[maybe_unused]] testing::Environment *const rate =
    testing::AddGlobalTestEnvironment(new Rate);

INSTANTIATE_TEST_SUITE_P(
    Models, InjectedOverflow,
    testing::Combine(
        testing::Values("test/Numerics/Programs/tiny.mlir",
                        "test/Numerics/Programs/attention.mlir",
                        "test/Numerics/Programs/grouped-attention.mlir",
                        "examples/digits/digits.mlir"),
        testing::Values("fp32", "fp16", "bf16")));

} // namespace
