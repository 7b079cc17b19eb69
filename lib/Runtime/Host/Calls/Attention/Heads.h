// Heads of attention as the kernels see them: addresses and strides, without
// any library, since the kernels are compiled for several instruction sets and
// what they would share with others must not be compiled for one of these.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HEADS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HEADS_H

#include <cstdint>

namespace mpc::runtime::attention {

enum class Element : uint8_t { F32, F16, BF16, I1 };

/// Rows of one head: row t begins `rowStride` elements after row t - 1, and is
/// dense. No address: there is no such operand.
struct Rows {
  Element type = Element::F32;
  const void *data = nullptr;
  int64_t rowStride = 0;
};

/// Which weights are left out, as Program.fbs says.
struct Dropout {
  bool draws = false;
  int32_t bound = 0; ///< weights whose 16 bits, the highest, are less are left
                     ///< out
  float kept = 1;    ///< factor of the others
  uint32_t step = 0, seed = 0, stream = 0;
  uint32_t row = 0; ///< number of the first query of the head
};

struct Head {
  int64_t queries = 0, keys = 0, width = 0, valueWidth = 0;
  bool causal = false, isMasked = false;
  int64_t window = 0; ///< 0: none
  float scale = 1, softcap = 0;
  Dropout dropout;
  Rows query, key, value;
  /// Element [i, j] of the mask lies i * rowStride + j * maskStride further.
  Rows mask;
  int64_t maskStride = 0;
  // Forward: written. Backward: read.
  Rows result;
  float *logSumExp = nullptr; ///< dense
  // Backward.
  Rows cotangent;
  Rows queryGradient;
};

/// Of one head of keys and values, whose gradients are sums over the heads of
/// queries that share it.
struct KeyGradients {
  Rows key, value;
};

struct HeadKernels {
  /// Queries of a block: a task has whole ones.
  int64_t block;
  /// Floats that the functions need; the same for all heads of a call.
  int64_t (*forwardScratch)(const Head &head);
  int64_t (*backwardScratch)(const Head &head);
  /// Results of the queries [first, last).
  void (*forward)(const Head &head, int64_t first, int64_t last,
                  float *scratch);
  /// Backward, with the same scratch: `beginKeys` once, `backward` for each
  /// head of queries that shares these keys, one after the other, then
  /// `endKeys`, which writes what they add up to.
  void (*beginKeys)(const Head &head, float *scratch);
  void (*backward)(const Head &head, float *scratch);
  void (*endKeys)(const Head &head, const KeyGradients &gradients,
                  float *scratch);
};

/// For AVX2 with FMA and F16C, and for AVX-512.
extern const HeadKernels kHeadsV3, kHeadsV4;
/// For AVX-512 with AVX512-BF16, where all tensors but the mask are bf16.
extern const HeadKernels kHeadsV4Bf16;
/// The same with AMX. The process must have been given tiles: see
/// InstructionSets.h.
extern const HeadKernels kHeadsV4Amx;

} // namespace mpc::runtime::attention

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HEADS_H
