// Each element that is written is one sum in a fixed order, so neither pieces
// nor threads can change a bit.
#include "PlainConvolution.h"
#include "ConvolutionOperands.h"
#include "mpc/Runtime/ThreadPool.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <array>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::CallOperand;
using mpc::program::ElementType;
using mpc::program::OperandRole;
using mpc::program::toSpan;

namespace {
/// A tensor of up to three dims of space, as if there were three.
struct Strided {
  explicit Strided(const CallOperand &operand);

  std::array<int64_t, 5> shape, strides;
  ElementType type;
};

/// An index in space.
using Place = std::array<int64_t, 3>;

class PlainConvolution final : public HostCall {
public:
  explicit PlainConvolution(const program::Call &call);

  HostWorkspace workspace() const override { return {}; }
  std::string describe() const override {
    return "convolution by its definition, in f64";
  }
  Status bind(const HostMemory &) override { return {}; }
  Status run(ThreadPool &pool, void *const *args) override;

private:
  /// Some of the channels of all images.
  void runPiece(uint32_t piece);
  /// What is written at one index of its first two dims.
  void writeChannel(int64_t a, int64_t b);
  double sumResult(int64_t n, int64_t o, const Place &at) const;
  double sumInput(int64_t n, int64_t c, const Place &at) const;
  double sumWeight(int64_t o, int64_t c, const Place &at) const;

  const Strided &written() const {
    return side == Written::Result  ? result
           : side == Written::Input ? input
                                    : weight;
  }
  /// Calls `add` with each place of the kernel.
  template <typename Fn> void forEachOfKernel(const Fn &add) const;

  ConvolutionArguments arguments;
  Strided input, weight, result;
  ElementType biasType = ElementType::F64; ///< of one that there is
  Written side;
  Place strides = {1, 1, 1}, low = {0, 0, 0}, dilations = {1, 1, 1};
  int64_t groupChannels, groupResults;
  ConvolutionOperands operands; ///< of the run in progress
  int64_t channelsOfPiece = 1;
};

/// More are no better shared among threads.
constexpr int64_t kMostPieces = int64_t(1) << 20;
} // namespace

Strided::Strided(const CallOperand &operand) : type(operand.type()) {
  shape.fill(1);
  strides.fill(0);
  std::ranges::copy(toSpan(operand.shape()), shape.begin());
  std::ranges::copy(toSpan(operand.strides()), strides.begin());
}

static double readNumber(ElementType type, const void *data, int64_t index) {
  switch (type) {
  case ElementType::F64:
    return static_cast<const double *>(data)[index];
  case ElementType::F16:
    return halfToFloat(static_cast<const uint16_t *>(data)[index]);
  case ElementType::BF16:
    return bfloatToFloat(static_cast<const uint16_t *>(data)[index]);
  default: // of a verified convolution: f32
    return static_cast<const float *>(data)[index];
  }
}

static void writeNumber(ElementType type, void *data, int64_t index,
                        double number) {
  auto single = static_cast<float>(number);
  switch (type) {
  case ElementType::F64:
    static_cast<double *>(data)[index] = number;
    break;
  case ElementType::F16:
    static_cast<uint16_t *>(data)[index] = floatToHalf(single);
    break;
  case ElementType::BF16:
    static_cast<uint16_t *>(data)[index] = floatToBFloat(single);
    break;
  default:
    static_cast<float *>(data)[index] = single;
  }
}

static double load(const Strided &tensor, const void *data, int64_t a,
                   int64_t b, const Place &at) {
  int64_t index = a * tensor.strides[0] + b * tensor.strides[1];
  for (size_t dim = 0; dim < 3; ++dim)
    index += at[dim] * tensor.strides[dim + 2];
  return readNumber(tensor.type, data, index);
}

PlainConvolution::PlainConvolution(const program::Call &call)
    : arguments(call), input(*program::ConvolutionCall(call).input),
      weight(*program::ConvolutionCall(call).weight),
      result(*program::ConvolutionCall(call).result),
      side(getWritten(program::ConvolutionCall(call))) {
  const program::Convolution &options = *call.options_as_Convolution();
  std::ranges::copy(toSpan(options.strides()), strides.begin());
  std::ranges::copy(toSpan(options.low()), low.begin());
  std::ranges::copy(toSpan(options.dilations()), dilations.begin());
  groupChannels = input.shape[1] / options.groups();
  groupResults = result.shape[1] / options.groups();
  if (const CallOperand *bias = program::ConvolutionCall(call).bias)
    biasType = bias->type();
}

template <typename Fn>
void PlainConvolution::forEachOfKernel(const Fn &add) const {
  Place k;
  for (k[0] = 0; k[0] < weight.shape[2]; ++k[0])
    for (k[1] = 0; k[1] < weight.shape[3]; ++k[1])
      for (k[2] = 0; k[2] < weight.shape[4]; ++k[2])
        add(k);
}

double PlainConvolution::sumResult(int64_t n, int64_t o,
                                   const Place &at) const {
  double sum = operands.bias ? readNumber(biasType, operands.bias, o) : 0;
  int64_t first = o / groupResults * groupChannels;
  forEachOfKernel([&](const Place &k) {
    Place from;
    for (size_t dim = 0; dim < 3; ++dim) {
      from[dim] = at[dim] * strides[dim] + k[dim] * dilations[dim] - low[dim];
      if (from[dim] < 0 || from[dim] >= input.shape[dim + 2])
        return;
    }
    for (int64_t c = 0; c < groupChannels; ++c)
      sum += load(input, operands.input, n, first + c, from) *
             load(weight, operands.weight, o, c, k);
  });
  return sum;
}

double PlainConvolution::sumInput(int64_t n, int64_t c, const Place &at) const {
  double sum = 0;
  int64_t first = c / groupChannels * groupResults;
  forEachOfKernel([&](const Place &k) {
    Place from;
    for (size_t dim = 0; dim < 3; ++dim) {
      int64_t begin = at[dim] - k[dim] * dilations[dim] + low[dim];
      from[dim] = begin / strides[dim];
      if (begin < 0 || begin % strides[dim] != 0 ||
          from[dim] >= result.shape[dim + 2])
        return;
    }
    for (int64_t o = 0; o < groupResults; ++o)
      sum += load(result, operands.result, n, first + o, from) *
             load(weight, operands.weight, first + o, c % groupChannels, k);
  });
  return sum;
}

double PlainConvolution::sumWeight(int64_t o, int64_t c,
                                   const Place &at) const {
  double sum = 0;
  int64_t channel = o / groupResults * groupChannels + c;
  Place p;
  for (int64_t n = 0; n < input.shape[0]; ++n)
    for (p[0] = 0; p[0] < result.shape[2]; ++p[0])
      for (p[1] = 0; p[1] < result.shape[3]; ++p[1])
        for (p[2] = 0; p[2] < result.shape[4]; ++p[2]) {
          Place from;
          bool isInside = true;
          for (size_t dim = 0; dim < 3; ++dim) {
            from[dim] =
                p[dim] * strides[dim] + at[dim] * dilations[dim] - low[dim];
            isInside &= from[dim] >= 0 && from[dim] < input.shape[dim + 2];
          }
          if (isInside)
            sum += load(input, operands.input, n, channel, from) *
                   load(result, operands.result, n, o, p);
        }
  return sum;
}

void PlainConvolution::writeChannel(int64_t a, int64_t b) {
  const Strided &tensor = written();
  void *data = side == Written::Result  ? operands.result
               : side == Written::Input ? operands.input
                                        : operands.weight;
  Place at;
  for (at[0] = 0; at[0] < tensor.shape[2]; ++at[0])
    for (at[1] = 0; at[1] < tensor.shape[3]; ++at[1])
      for (at[2] = 0; at[2] < tensor.shape[4]; ++at[2]) {
        double sum = side == Written::Result  ? sumResult(a, b, at)
                     : side == Written::Input ? sumInput(a, b, at)
                                              : sumWeight(a, b, at);
        int64_t index = a * tensor.strides[0] + b * tensor.strides[1];
        for (size_t dim = 0; dim < 3; ++dim)
          index += at[dim] * tensor.strides[dim + 2];
        writeNumber(tensor.type, data, index, sum);
      }
}

void PlainConvolution::runPiece(uint32_t piece) {
  const Strided &tensor = written();
  int64_t all = tensor.shape[0] * tensor.shape[1],
          end = std::min(all, (piece + int64_t(1)) * channelsOfPiece);
  for (int64_t channel = piece * channelsOfPiece; channel < end; ++channel)
    writeChannel(channel / tensor.shape[1], channel % tensor.shape[1]);
}

Status PlainConvolution::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  auto task = [](void *self, uint32_t piece, uint32_t) {
    static_cast<PlainConvolution *>(self)->runPiece(piece);
  };
  const Strided &tensor = written();
  // A tensor of fewer than 2^48 bytes may have more channels of all images than
  // there are numbers of pieces.
  int64_t all = tensor.shape[0] * tensor.shape[1];
  channelsOfPiece = (all - 1) / kMostPieces + 1;
  int64_t pieces = (all - 1) / channelsOfPiece + 1;
  pool.run(static_cast<uint32_t>(pieces), task, this);
  return {};
}

std::unique_ptr<HostCall>
runtime::makePlainConvolution(const program::Call &call) {
  return std::make_unique<PlainConvolution>(call);
}

bool runtime::isMostlyZeros(const program::ConvolutionCall &call) {
  constexpr double few = 1 << 20, times = 16;
  double reached = 1, space = 1;
  for (size_t dim = 0; dim < call.spaceRank(); ++dim) {
    reached *= static_cast<double>(call.reach(dim));
    space *= static_cast<double>(call.space()[dim]);
  }
  return reached > std::max(few, times * space);
}
