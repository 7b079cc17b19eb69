#include "ConvolutionShape.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::CallOperand;
using mpc::program::ConvolutionCall;
using mpc::program::toSpan;

uint64_t runtime::countElements(const CallOperand &operand) {
  uint64_t count = 1;
  for (int64_t size : toSpan(operand.shape()))
    count *= static_cast<uint64_t>(size);
  return count;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Strides of images that lie one after the other, with channels first or last.
static void layOut(std::span<const int64_t> shape, bool isLast,
                   dnnl_dims_t &strides) {
  int64_t dense = 1;
  auto add = [&](size_t dim) {
    strides[dim] = dense;
    dense *= shape[dim];
  };
  if (isLast)
    add(1);
  for (size_t dim = shape.size(); dim-- > 2;)
    add(dim);
  if (!isLast)
    add(1);
  add(0);
}

/// Whether the elements lie so, or are so few that it is no matter.
static bool lies(const CallOperand &operand, bool isLast) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           given = toSpan(operand.strides());
  dnnl_dims_t strides;
  layOut(shape, isLast, strides);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1 && given[dim] != strides[dim])
      return false;
  return true;
}

/// Into how many pieces the channels of the input are cut. Few channels are as
/// fast whole, and a piece that is no line of the cache is slower (measured on
/// Zen 5).
static uint32_t countChannelPieces(const ConvolutionCall &call,
                                   uint64_t elementBytes) {
  constexpr int64_t least = 128, line = 64;
  constexpr uint32_t most = 8;
  int64_t channels = call.channels();
  if (call.options.groups() != 1 || channels < least ||
      !lies(*call.input, /*isLast=*/true))
    return 1;
  int64_t ofLine = line / static_cast<int64_t>(elementBytes);
  uint32_t pieces = 1;
  while (pieces < most && channels % (2 * pieces * ofLine) == 0)
    pieces *= 2;
  return pieces;
}

static void cutImages(ConvolutionCut &cut, int64_t batch, int64_t wanted) {
  cut.images = ceilDiv(batch, std::min(wanted, batch));
  cut.imagePieces = static_cast<uint32_t>(ceilDiv(batch, cut.images));
}

ConvolutionCut runtime::cutBatch(const ConvolutionCall &call) {
  constexpr int64_t pieces = 16, summed = 8;
  constexpr uint64_t summedBytes = uint64_t(32) << 20;
  int64_t wanted = pieces;
  if (call.weight->written()) {
    uint64_t bytes = 4 * countElements(*call.weight);
    wanted = std::clamp<int64_t>(static_cast<int64_t>(summedBytes / bytes), 4,
                                 summed);
  }
  ConvolutionCut cut = {.images = 1, .channels = call.channels()};
  cutImages(cut, call.batch(), wanted);
  return cut;
}

ConvolutionCut runtime::chooseCut(const ConvolutionCall &call,
                                  uint64_t elementBytes) {
  // A piece's channels are copied, into what should stay in the cache.
  constexpr int64_t pieces = 8, most = 16, copiedBytes = int64_t(4) << 20;
  uint32_t ofChannels =
      call.weight->written() ? countChannelPieces(call, elementBytes) : 1;
  if (ofChannels == 1)
    return cutBatch(call);
  ConvolutionCut cut = {.images = 1,
                        .channels = call.channels() / ofChannels,
                        .channelPieces = ofChannels};
  auto bytes = static_cast<int64_t>(countElements(*call.input) / ofChannels *
                                    elementBytes);
  cutImages(cut, call.batch(),
            std::clamp(ceilDiv(bytes, copiedBytes), pieces / ofChannels, most));
  return cut;
}

dnnl_status_t runtime::describeImages(dnnl_memory_desc_t &made,
                                      const CallOperand &operand,
                                      int64_t images, int64_t channels,
                                      dnnl_data_type_t type) {
  std::span<const int64_t> shape = toSpan(operand.shape());
  bool isLast = lies(operand, /*isLast=*/true);
  if (!isLast && !lies(operand, /*isLast=*/false))
    return dnnl_unimplemented;
  dnnl_dims_t dims, strides;
  std::ranges::copy(shape, dims);
  dims[0] = images;
  dims[1] = channels;
  layOut(std::span(dims, shape.size()), isLast, strides);
  return dnnl_memory_desc_init_by_strides(&made, static_cast<int>(shape.size()),
                                          dims, type, strides);
}

dnnl_status_t runtime::describeWeight(dnnl_memory_desc_t &plain,
                                      dnnl_memory_desc_t &any,
                                      const ConvolutionCall &call,
                                      int64_t channels, dnnl_data_type_t type) {
  std::span<const int64_t> shape = toSpan(call.weight->shape()),
                           given = toSpan(call.weight->strides());
  int64_t groups = call.options.groups();
  dnnl_dims_t dims, strides;
  int rank = 0;
  auto add = [&](int64_t size, int64_t stride) {
    dims[rank] = size;
    strides[rank++] = stride;
  };
  if (groups != 1)
    add(groups, given[0] * (shape[0] / groups));
  add(shape[0] / groups, given[0]);
  add(channels / groups, given[1]);
  for (size_t dim = 2; dim < shape.size(); ++dim)
    add(shape[dim], given[dim]);
  dnnl_status_t status =
      dnnl_memory_desc_init_by_strides(&plain, rank, dims, type, strides);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag(&any, rank, dims, type,
                                          dnnl_format_tag_any);
  return status;
}

dnnl_status_t runtime::describeBias(dnnl_memory_desc_t &made,
                                    const ConvolutionCall &call) {
  dnnl_dims_t dims = {call.results()};
  return dnnl_memory_desc_init_by_tag(&made, 1, dims, dnnl_f32, dnnl_a);
}
