// Rows of a head in shared memory, and how they get there. Private to this
// room.
#ifndef MPC_KERNELS_ATTENTION_TILES_H
#define MPC_KERNELS_ATTENTION_TILES_H

#include "kernels/Attention/Instructions.h"
#include "kernels/Attention/Problem.h"
#include "kernels/Formats.h"

namespace mpc::kernels {

/// Threads of a block: four warps, of 16 rows each or a multiple of that.
constexpr int kAttentionThreads = 128;
constexpr int kWarps = kAttentionThreads / 32;

/// The rows of one head in global memory.
template <typename T> struct Head {
  T *data;
  int64_t time; ///< elements from row to row
  int rows, width;
  bool aligned; ///< every row begins at a multiple of 16 bytes

  __device__ Head(const HeadRows &of, int64_t batch, int64_t head, int64_t rows,
                  int64_t width)
      : data(static_cast<T *>(of.data) + batch * of.batch + head * of.head),
        time(of.time), rows(int(rows)), width(int(width)) {
    constexpr int64_t chunk = 16 / sizeof(T);
    aligned = reinterpret_cast<uintptr_t>(data) % 16 == 0 && time % chunk == 0;
  }
  __device__ T *row(int number) const { return data + number * time; }
};

/// Rows of Width elements in shared memory, in chunks of 16 bytes. The chunks
/// of a row are permuted by its number, so that eight rows of one column of
/// chunks are in different banks.
template <typename T, int Width> struct Tile {
  static constexpr int kChunk = 16 / sizeof(T); ///< elements
  static constexpr int kChunks = Width / kChunk;
  static constexpr int kRowBytes = Width * sizeof(T);
  static_assert(kChunks % 8 == 0);

  uint8_t *memory; ///< at a multiple of 128

  __device__ uint8_t *chunk(int row, int number) const {
    return memory + row * kRowBytes + ((number ^ (row & 7)) * 16);
  }
};

/// Begins to copy `Rows` rows of a head from number `first` on; what is not
/// there is 0. All threads of the block take part. Complete after commitCopies,
/// waitForCopies and __syncthreads.
template <int Rows, typename T, int Width>
__device__ inline void fill(const Tile<T, Width> &tile,
                            const Head<const T> &head, int first) {
  using Own = Tile<T, Width>;
  for (int i = threadIdx.x; i < Rows * Own::kChunks; i += kAttentionThreads) {
    int row = i / Own::kChunks, number = i % Own::kChunks;
    int column = number * Own::kChunk;
    int there = first + row < head.rows ? head.width - column : 0;
    there = there < 0 ? 0 : there > Own::kChunk ? Own::kChunk : there;
    const T *from = there ? head.row(first + row) + column : head.data;
    uint8_t *to = tile.chunk(row, number);
    if (head.aligned) {
      copyAsync(to, from, there * int(sizeof(T)));
      continue;
    }
    for (int e = 0; e < Own::kChunk; ++e)
      reinterpret_cast<T *>(to)[e] = e < there ? from[e] : T{};
  }
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_TILES_H
