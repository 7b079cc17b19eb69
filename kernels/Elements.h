// How a block goes through the elements of a chunk: packs on boundaries, so
// that every access of a warp is a run of whole sectors, and single elements
// for head and tail. Private to this room.
//
// A work says what is done with a pack:
//
//   template <int Width> struct Item;               what is loaded
//   template <int Width> void load(Item<Width> &, const Chunk &, uint32_t at)
//   template <int Width> void finish(Item<Width> &, const Chunk &, uint32_t at)
//
// All loads of kUnroll packs are issued before the first of them is finished:
// a thread has that many times the lists in flight, and may write what it read.
#ifndef MPC_KERNELS_ELEMENTS_H
#define MPC_KERNELS_ELEMENTS_H

#include "kernels/Formats.h"
#include "kernels/Parameters.h"

namespace mpc::kernels {

template <typename T, int Width> struct alignas(sizeof(T) * Width) Pack {
  T at[Width];
};

/// Where element `at` of a list of the chunk is. That it is in global memory
/// cannot be seen from a pointer out of a table, and is said here.
template <typename T>
__device__ inline T *addressOf(const Chunk &chunk, int list, uint32_t at) {
  T *address = static_cast<T *>(chunk.at[list]) + at;
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(address));
#endif
  return address;
}

template <int Width, typename T>
__device__ inline void loadPack(Pack<T, Width> &pack, const Chunk &chunk,
                                int list, uint32_t at) {
  pack =
      *reinterpret_cast<const Pack<T, Width> *>(addressOf<T>(chunk, list, at));
}

template <int Width, typename T>
__device__ inline void storePack(const Pack<T, Width> &pack, const Chunk &chunk,
                                 int list, uint32_t at) {
  *reinterpret_cast<Pack<T, Width> *>(addressOf<T>(chunk, list, at)) = pack;
}

/// The values rounded to the type of copies; nothing if there are none.
template <typename C, int Width>
__device__ inline void storeCopy(const Pack<float, Width> &values,
                                 const Chunk &chunk, int list, uint32_t at) {
  if constexpr (kIsCopied<C>) {
    Pack<C, Width> copy;
#pragma unroll
    for (int i = 0; i < Width; ++i)
      copy.at[i] = narrow<C>(values.at[i]);
    storePack<Width>(copy, chunk, list, at);
  }
}

/// The work on packs number [0, packs), of which number i begins at the
/// element positionOf(i).
template <int Width, int Unroll, typename Work, typename PositionOf>
__device__ inline void forEachPack(const Chunk &chunk, uint32_t packs,
                                   Work &work, PositionOf positionOf) {
  for (uint32_t i = threadIdx.x; i < packs; i += Unroll * kThreads) {
    typename Work::template Item<Width> items[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      if (i + u * kThreads < packs)
        work.template load<Width>(items[u], chunk,
                                  positionOf(i + u * kThreads));
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      if (i + u * kThreads < packs)
        work.template finish<Width>(items[u], chunk,
                                    positionOf(i + u * kThreads));
  }
}

/// The work on all elements of a chunk.
template <typename Work>
__device__ inline void forEachElement(const Chunk &chunk, Work &work) {
  constexpr int width = Work::kWidth;
  uint32_t head = chunk.head, packs = (chunk.count - head) / width;
  forEachPack<width, Work::kUnroll>(
      chunk, packs, work, [=](uint32_t i) { return head + i * width; });
  // The tail follows the head, with the packs left out.
  uint32_t packed = packs * width;
  forEachPack<1, Work::kUnroll>(
      chunk, chunk.count - packed, work,
      [=](uint32_t i) { return i < head ? i : i + packed; });
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ELEMENTS_H
