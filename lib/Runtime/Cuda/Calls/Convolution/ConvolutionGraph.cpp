#include "ConvolutionGraph.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::CallOperand;
using program::ConvolutionCall;
using program::ElementType;
using program::toSpan;

static std::string write(std::span<const int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text + "]";
}

static ConvolutionSide getWritten(const ConvolutionCall &call) {
  return call.result->written()  ? ConvolutionSide::Result
         : call.input->written() ? ConvolutionSide::Input
                                 : ConvolutionSide::Weight;
}

std::string runtime::describe(const ConvolutionCall &call) {
  ConvolutionSide made = getWritten(call);
  const CallOperand *read =
      made == ConvolutionSide::Input ? call.weight : call.input;
  std::string text(getInfo(static_cast<DType>(read->type())).name);
  text += " convolution " + write(toSpan(call.input->shape())) + " by " +
          write(toSpan(call.weight->shape()));
  if (call.bias)
    text += ", with a bias";
  return text + (made == ConvolutionSide::Result  ? ""
                 : made == ConvolutionSide::Input ? ", for its input"
                                                  : ", for its weight");
}

std::string runtime::findConvolutionObstacle(const ConvolutionCall &call) {
  for (size_t dim = 0; dim < call.spaceRank(); ++dim)
    if (int64_t stride = toSpan(call.options.strides())[dim];
        call.high(dim) <= -stride)
      return "its windows leave out " + std::to_string(-call.high(dim)) +
             " elements at the end of a dim, where cuDNN would begin another "
             "one every " +
             std::to_string(stride);
  return {};
}

//===----------------------------------------------------------------------===//
// How tensors lie
//===----------------------------------------------------------------------===//

/// The strides of a tensor of [batch, channels, space...] without gaps.
static std::vector<int64_t> getStrides(std::span<const int64_t> shape,
                                       bool channelsLast) {
  std::vector<int64_t> strides(shape.size());
  int64_t dense = 1;
  auto place = [&](size_t dim) {
    strides[dim] = dense;
    dense *= shape[dim];
  };
  if (channelsLast)
    place(1);
  for (size_t dim = shape.size(); dim-- > 2;)
    place(dim);
  if (!channelsLast)
    place(1);
  place(0);
  return strides;
}

/// Whether a tensor lies so; dims of one element are anywhere.
static bool fits(const CallOperand &operand, bool channelsLast) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           given = toSpan(operand.strides());
  std::vector<int64_t> strides = getStrides(shape, channelsLast);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1 && given[dim] != strides[dim])
      return false;
  return true;
}

/// Engines are chosen by strides, of dims of one element too: those say here
/// what the other tensors of the call say.
static TensorLayout getLayout(const CallOperand &operand, bool channelsLast) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           given = toSpan(operand.strides());
  TensorLayout made{{shape.begin(), shape.end()}, {given.begin(), given.end()}};
  for (bool last : {channelsLast, !channelsLast})
    if (fits(operand, last)) {
      made.strides = getStrides(shape, last);
      break;
    }
  // Its engines know two dims of space and three.
  if (shape.size() == 3) {
    int64_t row = made.shape[2] * made.strides[2];
    made.shape.insert(made.shape.begin() + 2, 1);
    made.strides.insert(made.strides.begin() + 2, row);
  }
  return made;
}

static WindowLayout getWindows(const ConvolutionCall &call) {
  WindowLayout made;
  auto add = [&](int64_t stride, int64_t low, int64_t high, int64_t dilation) {
    made.strides.push_back(stride);
    made.low.push_back(low);
    made.high.push_back(high);
    made.dilations.push_back(dilation);
  };
  if (call.spaceRank() == 1)
    add(1, 0, 0, 1);
  for (size_t dim = 0; dim < call.spaceRank(); ++dim)
    // Elements that no window reaches are fewer than a stride.
    add(toSpan(call.options.strides())[dim], toSpan(call.options.low())[dim],
        std::max<int64_t>(call.high(dim), 0),
        toSpan(call.options.dilations())[dim]);
  return made;
}

static cudnnDataType_t getType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return CUDNN_DATA_DOUBLE;
  case ElementType::F16:
    return CUDNN_DATA_HALF;
  case ElementType::BF16:
    return CUDNN_DATA_BFLOAT16;
  default: // of a verified convolution: f32
    return CUDNN_DATA_FLOAT;
  }
}

Graph runtime::makeConvolutionGraph(const ConvolutionCall &call) {
  const std::pair<ConvolutionSide, const CallOperand *> sides[] = {
      {ConvolutionSide::Input, call.input},
      {ConvolutionSide::Weight, call.weight},
      {ConvolutionSide::Result, call.result}};
  bool channelsLast = std::ranges::all_of(
      sides, [](const auto &side) { return fits(*side.second, true); });
  Graph graph;
  std::vector<Graph::Tensor> read;
  ConvolutionSide made = getWritten(call);
  const CallOperand *written = nullptr;
  for (auto [side, operand] : sides)
    if (side == made)
      written = operand;
    else
      read.push_back(graph.memory(static_cast<int>(side),
                                  getType(operand->type()),
                                  getLayout(*operand, channelsLast)));
  TensorLayout layout = getLayout(*written, channelsLast);
  bool isDouble = written->type() == ElementType::F64;
  Graph::Tensor result =
      graph.convolve(made, read[0], read[1], layout, getWindows(call),
                     isDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  if (call.bias) {
    std::vector<int64_t> shape(layout.shape.size(), 1);
    shape[1] = call.results();
    std::vector<int64_t> strides = getStrides(shape, channelsLast);
    Graph::Tensor bias = graph.memory(kBiasRole, getType(call.bias->type()),
                                      {std::move(shape), std::move(strides)});
    result = graph.pointwise(CUDNN_POINTWISE_ADD, result, bias);
  }
  graph.store(result, static_cast<int>(made), getType(written->type()),
              std::move(layout));
  return graph;
}

RefusedNotes runtime::getRefusedNotes(const ConvolutionCall &call,
                                      const DeviceOptions &options) {
  RefusedNotes notes = {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS,
                        CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION,
                        CUDNN_NUMERICAL_NOTE_FFT,
                        CUDNN_NUMERICAL_NOTE_WINOGRAD,
                        CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4,
                        CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
                        CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13};
  if (!options.allowNondeterministic)
    notes.push_back(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  // Tensor cores multiply f32 as tf32.
  const CallOperand *read = call.input->written() ? call.weight : call.input;
  if (read->type() == ElementType::F32 && !options.allowTf32)
    notes.push_back(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  return notes;
}
