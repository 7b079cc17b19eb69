// The instructions of PTX that CUDA C++ has no word for. Where kernels are
// emulated, test/Kernels/WarpInstructions.h has functions by these names.
// Private to this room.
#ifndef MPC_KERNELS_ATTENTION_INSTRUCTIONS_H
#define MPC_KERNELS_ATTENTION_INSTRUCTIONS_H

#ifdef __CUDACC__
#include <cstdint>

namespace mpc::kernels {

/// The dynamic shared memory of the block.
__device__ inline uint8_t *getSharedMemory() {
  extern __shared__ __align__(128) uint8_t memory[];
  return memory;
}

__device__ inline uint32_t toShared(const void *address) {
  return uint32_t(__cvta_generic_to_shared(address));
}

/// Four matrices of 8 rows of 16 bytes in shared memory. Lane 8 i + r says
/// where row r of matrix i is, at a multiple of 16; lane 4 g + t is given the
/// t-th four bytes of row g of each.
__device__ inline void loadMatrices(uint32_t (&to)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(toShared(row))
               : "memory");
}

/// The same of 16-bit elements, transposed: lane 4 g + t is given the elements
/// of column g in rows 2 t and 2 t + 1.
__device__ inline void loadTransposed(uint32_t (&to)[4], const void *row) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(toShared(row))
      : "memory");
}

/// c += a b. Lane 4 g + t has of c the elements (g, 2t), (g, 2t + 1) and those
/// 8 rows below; of a, in pairs along k: (g, 2t), (g + 8, 2t), (g, 2t + 8) and
/// (g + 8, 2t + 8); of b: (2t, g) and (2t + 8, g).
__device__ inline void multiplyHalf(float (&c)[4], const uint32_t (&a)[4],
                                    const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline void multiplyBFloat(float (&c)[4], const uint32_t (&a)[4],
                                      const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/// Of TF32, one to a register: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
/// by (t, g), (t + 4, g).
__device__ inline void multiplyTf32(float (&c)[4], const uint32_t (&a)[4],
                                    const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// f32 rounded to 10 bits of mantissa, as f32.
__device__ inline float roundToTf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

/// Begins to copy `bytes` of 16 bytes, and to write zeros for the rest.
__device__ inline void copyAsync(void *shared, const void *global, int bytes) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(toShared(shared)),
      "l"(__cvta_generic_to_global(global)), "r"(bytes)
      : "memory");
}
/// The copies begun since the last group are a group.
__device__ inline void commitCopies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until all of the thread's groups but the last `Pending` have landed.
template <int Pending> __device__ inline void waitForCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ inline uint32_t toBits(float value) {
  return __float_as_uint(value);
}
__device__ inline float fromBits(uint32_t bits) {
  return __uint_as_float(bits);
}

} // namespace mpc::kernels
#endif // __CUDACC__

#endif // MPC_KERNELS_ATTENTION_INSTRUCTIONS_H
