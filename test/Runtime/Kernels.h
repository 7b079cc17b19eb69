// The compiled test kernels (Kernels.c) as bytes.
#ifndef MPC_TEST_RUNTIME_KERNELS_H
#define MPC_TEST_RUNTIME_KERNELS_H

#include <cstdint>
#include <fstream>
#include <iterator>
#include <vector>

namespace mpc::test {

inline std::vector<uint8_t> readBytes(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

#ifdef MPC_TEST_KERNELS
/// The shared object that CMake built from Kernels.c.
inline std::vector<uint8_t> readKernels() {
  return readBytes(MPC_TEST_KERNELS);
}
#endif

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_KERNELS_H
