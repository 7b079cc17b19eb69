// What library calls are called: an overload for each kind. The compiler writes
// these names, so a runtime does without the file.
#include "Check.h"
#include "mpc/Program/Calls/Attention.h"
#include "mpc/Program/Calls/Convolution.h"
#include "mpc/Program/Calls/Matmul.h"

using namespace mpc;
using namespace mpc::program;

static std::string describeCall(const Matmul &options, const Call &call) {
  MatmulCall product(call);
  std::string text = "matmul ";
  for (int64_t dim : product.batch())
    text += std::to_string(dim) + "x";
  text += std::to_string(product.rows()) + "x" +
          std::to_string(product.inner()) + "x" +
          std::to_string(product.columns());
  if (product.bias)
    text += ", bias";
  if (options.epilogue() != Epilogue::None)
    text += std::string(", ") + (options.derivative() ? "gradient of " : "") +
            toWord(EnumNameEpilogue(options.epilogue()));
  if (product.addend)
    text += ", addend";
  return text;
}

static std::string describeCall(const Attention &options, const Call &call) {
  AttentionCall attention(call);
  std::string text = "attention";
  const char *before = " ";
  for (int64_t dim : {attention.batch(), attention.heads(), attention.queries(),
                      attention.keys(), attention.width()}) {
    text += before + std::to_string(dim);
    before = "x";
  }
  if (options.causal())
    text += ", causal";
  if (attention.window())
    text += ", window " + std::to_string(attention.window());
  if (attention.mask)
    text += ", mask";
  if (options.dropout() > 0)
    text += ", dropout";
  return text;
}

static std::string describeCall(const Convolution &options, const Call &call) {
  ConvolutionCall convolution(call);
  auto times = [](std::string text, std::span<const int64_t> sizes) {
    for (int64_t size : sizes)
      text += "x" + std::to_string(size);
    return text;
  };
  std::string text = "convolution";
  if (convolution.input->written())
    text += ", gradient of the input";
  if (convolution.weight->written())
    text += ", gradient of the weight";
  text += times(" " + std::to_string(convolution.batch()) + "x" +
                    std::to_string(convolution.channels()),
                convolution.space());
  text += times(" to " + std::to_string(convolution.results()),
                convolution.resultSpace());
  std::span<const int64_t> kernel = convolution.kernel();
  text += times(", kernel " + std::to_string(kernel[0]), kernel.subspan(1));
  if (options.groups() != 1)
    text += ", " + std::to_string(options.groups()) + " groups";
  if (convolution.bias)
    text += ", bias";
  return text;
}

std::string program::describe(const Call &call) {
  return visitOptions(
      call, [&](const auto &options) { return describeCall(options, call); });
}
