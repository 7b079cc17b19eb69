// Tensors with channels and up to three dims of space, as the interpreter walks
// over them.
#ifndef MPC_TEST_REFERENCE_SPACEVIEW_H
#define MPC_TEST_REFERENCE_SPACEVIEW_H

#include "Reference/Tensor.h"
#include <array>

namespace mpc::reference {

using Space = std::array<int64_t, 3>;

/// A tensor by batch (or result), channel and place, whose dims of space are
/// padded to three.
struct SpaceView {
  SpaceView(const Tensor &tensor, bool channelsLast) {
    size_t rank = tensor.shape.size(), space = rank - 2;
    std::vector<int64_t> strides(rank, 1);
    for (size_t dim = rank - 1; dim-- > 0;)
      strides[dim] = strides[dim + 1] * tensor.shape[dim + 1];
    size_t channel = channelsLast ? rank - 1 : 1, first = channelsLast ? 1 : 2;
    sizes = {tensor.shape[0], tensor.shape[channel]};
    steps = {strides[0], strides[channel]};
    for (size_t dim = 0; dim < space; ++dim) {
      extent[dim] = tensor.shape[first + dim];
      stride[dim] = strides[first + dim];
    }
  }
  size_t at(int64_t outer, int64_t inner, const Space &place) const {
    int64_t index = outer * steps[0] + inner * steps[1];
    for (size_t dim = 0; dim < 3; ++dim)
      index += place[dim] * stride[dim];
    return index;
  }
  template <typename Fn> void forEachChannel(const Fn &fn) const {
    for (int64_t outer = 0; outer < sizes[0]; ++outer)
      for (int64_t inner = 0; inner < sizes[1]; ++inner)
        fn(outer, inner);
  }

  std::array<int64_t, 2> sizes, steps;
  Space extent = {1, 1, 1}, stride = {0, 0, 0};
};

template <typename Fn> void forEach(const Space &extent, const Fn &fn) {
  Space place;
  for (place[0] = 0; place[0] < extent[0]; ++place[0])
    for (place[1] = 0; place[1] < extent[1]; ++place[1])
      for (place[2] = 0; place[2] < extent[2]; ++place[2])
        fn(place);
}

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_SPACEVIEW_H
