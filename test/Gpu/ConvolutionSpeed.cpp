#include "ConvolutionSpeed.h"

#include "../Runtime/ConvolutionProblem.h"
#include "SpeedBench.h"
#include "mpc/Program/Calls/Convolution.h"
#include "mpc/Program/Operands.h"

#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;

namespace {
/// A call in memory.
struct NamedCall {
  NamedCall(std::string name, const ConvolutionSpec &spec,
            ConvolutionTensor written)
      : name(std::move(name)) {
    program::CallT made = makeCall(spec, written);
    builder.Finish(program::Call::Pack(builder, &made));
  }
  const program::Call &get() const {
    return *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  }

  std::string name;
  flatbuffers::FlatBufferBuilder builder;
};
} // namespace

static std::vector<NamedCall> listConvolutions(int64_t batch) {
  struct Layer {
    int64_t channels, results, size, kernel, stride;
  };
  // As PyTorch has it: the first block of a stage halves by its 3 x 3.
  constexpr Layer layers[] = {{3, 64, 224, 7, 2},   {64, 64, 56, 3, 1},
                              {128, 128, 56, 3, 2}, {128, 128, 28, 3, 1},
                              {256, 256, 28, 3, 2}, {256, 256, 14, 3, 1},
                              {512, 512, 14, 3, 2}, {512, 512, 7, 3, 1}};
  static constexpr const char *gradients[] = {", gradient of its input",
                                              ", gradient of its weight", ""};
  std::vector<NamedCall> list;
  for (const Layer &layer : layers)
    for (ConvolutionTensor written :
         {ConvolutionTensor::Result, ConvolutionTensor::Input,
          ConvolutionTensor::Weight}) {
      int64_t zeros = layer.kernel / 2;
      ConvolutionSpec spec = {.batch = batch,
                              .channels = layer.channels,
                              .results = layer.results,
                              .space = {layer.size, layer.size},
                              .kernel = {layer.kernel, layer.kernel},
                              .strides = {layer.stride, layer.stride},
                              .low = {zeros, zeros},
                              .high = {zeros, zeros},
                              .type = BF16};
      std::string name = std::to_string(layer.channels) + " x " +
                         std::to_string(layer.size) + "^2 to " +
                         std::to_string(layer.results) + " by " +
                         std::to_string(layer.kernel) + "^2, stride " +
                         std::to_string(layer.stride) +
                         gradients[static_cast<size_t>(written)];
      list.emplace_back(std::move(name), spec, written);
    }
  return list;
}

/// A product and a sum for each element of the result, of the kernel, and
/// channel.
static double countOperations(const program::ConvolutionCall &call) {
  double operations = 2;
  for (std::span<const int64_t> sizes :
       {program::toSpan(call.result->shape()),
        program::toSpan(call.weight->shape()).subspan(1)})
    for (int64_t size : sizes)
      operations *= static_cast<double>(size);
  return operations;
}

Result<std::vector<ConvolutionSpeed>>
mpc::test::measureConvolutions(const Platform &platform, int64_t batch,
                               double seconds) {
  std::vector<NamedCall> list = listConvolutions(batch);
  uint64_t bytes = 0;
  for (const NamedCall &call : list) {
    uint64_t own = 0;
    for (const program::CallOperand *operand : *call.get().operands())
      own += (program::getReach(*operand) + 255) / 256 * 256;
    bytes = std::max(bytes, own);
  }
  Result<SpeedBench> bench = SpeedBench::open(platform, bytes);
  if (!bench)
    return bench.status();
  DeviceOptions options;
  auto library = getLibrary(*list.front().get().options_as_Convolution())(
      {platform, bench->device(), options, {}});
  if (!library)
    return library.status();
  std::vector<ConvolutionSpeed> rows;
  for (const NamedCall &call : list) {
    auto speed = bench->measure(**library, call.get(), seconds);
    if (!speed)
      return speed.status();
    double operations = countOperations(program::ConvolutionCall(call.get()));
    rows.push_back({call.name, operations / speed->seconds * 1e-12,
                    speed->workspaceBytes, speed->repeats});
  }
  return rows;
}

std::string mpc::test::writeRows(const std::vector<ConvolutionSpeed> &rows) {
  std::string text;
  for (const ConvolutionSpeed &row : rows)
    text += nlohmann::ordered_json{{"convolution", row.convolution},
                                   {"TFLOP/s", row.rate},
                                   {"workspace MiB",
                                    static_cast<double>(row.workspaceBytes) /
                                        (1 << 20)},
                                   {"same bytes", row.repeats}}
                .dump() +
            "\n";
  return text;
}
