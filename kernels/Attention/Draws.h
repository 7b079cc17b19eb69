// Which weights dropout leaves out: Philox4x32-10 (Salmon et al., 2011), as
// Program.fbs says. Private to this room.
#ifndef MPC_KERNELS_ATTENTION_DRAWS_H
#define MPC_KERNELS_ATTENTION_DRAWS_H

#include "kernels/Attention/Problem.h"

namespace mpc::kernels {

/// The four words of one counter.
struct Draw {
  uint32_t words[4];
};

__host__ __device__ inline Draw philox(Draw counter, uint32_t key0,
                                       uint32_t key1) {
  uint32_t (&c)[4] = counter.words;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int round = 0; round < 10; ++round) {
    uint64_t left = uint64_t(0xD2511F53u) * c[0];
    uint64_t right = uint64_t(0xCD9E8D57u) * c[2];
    c[0] = uint32_t(right >> 32) ^ c[1] ^ key0;
    c[1] = uint32_t(right);
    c[2] = uint32_t(left >> 32) ^ c[3] ^ key1;
    c[3] = uint32_t(left);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// Of one query, numbered in row-major order of batch, head, query, and keys
/// 8 group to 8 group + 7: a bit for each key whose weight is kept.
__host__ __device__ inline uint8_t drawKept(const AttentionProblem &problem,
                                            uint32_t query, uint32_t group) {
  constexpr uint32_t use = 2; // attention's, of all that draws
  const AttentionDropout &dropout = problem.dropout;
  uint32_t groups = uint32_t((problem.keys + 7) / 8);
  Draw drawn = philox({query * groups + group, *dropout.step, 0, use},
                      *dropout.seed, dropout.stream);
  uint32_t kept = 0;
  for (int k = 0; k < 8; ++k) {
    uint32_t half = drawn.words[k / 2] >> 16 * (k % 2) & 0xffffu;
    kept |= uint32_t((half ^ 0x8000u) >= dropout.leftOut) << k;
  }
  return uint8_t(kept);
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_DRAWS_H
