// Broadcasting of batch dims, for plain loops over products.
#ifndef MPC_TEST_RUNTIME_MATRIXOFFSET_H
#define MPC_TEST_RUNTIME_MATRIXOFFSET_H

#include <cstdint>
#include <vector>

namespace mpc::test {

/// First element of the matrix of an operand of shape `dims` that matrix number
/// `index` of a result of shape `out` reads, by NumPy's rules.
inline int64_t matrixAt(const std::vector<int64_t> &out,
                        const std::vector<int64_t> &dims, int64_t index) {
  int64_t offset = 0, stride = dims[dims.size() - 1] * dims[dims.size() - 2];
  for (size_t i = 2; i < out.size(); ++i) {
    int64_t at = index % out[out.size() - 1 - i];
    index /= out[out.size() - 1 - i];
    if (i < dims.size()) {
      offset += dims[dims.size() - 1 - i] == 1 ? 0 : at * stride;
      stride *= dims[dims.size() - 1 - i];
    }
  }
  return offset;
}

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_MATRIXOFFSET_H
