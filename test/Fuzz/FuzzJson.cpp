// JSON that decides precisions, on a model with ops of several kinds: compiled
// once as fuzz-policy (policy files) and once as fuzz-profile (range profiles).
#include "Bytes.h"
#include "Compiler.h"

using namespace mpc;
using namespace mpc::fuzz;

static constexpr std::string_view kModel = R"(
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"},
                 %w: tensor<8x3xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
                 %label: tensor<4xi32> {graph.input = "label"}) -> (tensor<f32> {graph.loss}) {
  %h = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32> loc("head")
  %e = graph.exp %h : (tensor<4x3xf32>) -> tensor<4x3xf32> loc("layer.0/exp")
  %loss = graph.cross_entropy %e, %label : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  return %loss : tensor<f32>
})";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Compiler compiler;
  MemoryFile file({data, size});
  PipelineOptions options;
  options.training["precision"] = "fp16";
  options.MPC_FUZZ_JSON_OPTION = file.path();
  compiler.compile(kModel, std::nullopt, Stage::Autocast, options);
  return 0;
}
