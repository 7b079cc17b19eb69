// The micro-kernel by tiles (AMX): 16 rows of 16 words of A by 16 rows of 16
// words of B, two of each at a time. Words of A are neighbours in k. The
// instruction takes subnormals for zeros and makes none.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_TILES_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_TILES_H

#include "Products.h"

namespace {
constexpr int64_t kTile = 16; ///< rows, and words of a row
static_assert(kTile == kLanes && kBlock == 2 * kTile && kPair == 2);

/// The operands of a step, completed by zeros where they end within a tile.
struct TileEdge {
  alignas(64) Word left[2 * kTile * kTile], right[kTile * kBlock];

  Left completeLeft(Left a, int64_t rows, int64_t words) {
    std::memset(left, 0, sizeof left);
    for (int64_t m = 0; m < rows; ++m)
      std::memcpy(left + m * kTile, a.data + m * a.row, 4 * words);
    return {reinterpret_cast<const char *>(left), 4 * kTile, 4};
  }
  const Word *completeRight(const Word *b, int64_t bRow, int64_t words) {
    std::memset(right, 0, sizeof right);
    for (int64_t k = 0; k < words; ++k)
      std::memcpy(right + k * kBlock, b + k * bRow, 4 * kBlock);
    return right;
  }
};

/// `count` rows, at most kTile * tiles.
template <int tiles>
void multiplyTiles(int64_t count, int64_t inner, Left a, const Word *b,
                   int64_t bRow, float *c, int64_t cRow, bool add) {
  if (add) {
    _tile_loadd(0, c, 4 * cRow);
    _tile_loadd(1, c + kTile, 4 * cRow);
    if (tiles == 2) {
      _tile_loadd(2, c + kTile * cRow, 4 * cRow);
      _tile_loadd(3, c + kTile * cRow + kTile, 4 * cRow);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  TileEdge edge;
  for (int64_t k = 0; k < inner; k += kTile) {
    int64_t words = smaller(kTile, inner - k);
    Left left = skipColumns(a, k);
    const Word *right = b + k * bRow;
    int64_t rightRow = bRow;
    if (words < kTile || count < tiles * kTile)
      left = edge.completeLeft(left, count, words);
    if (words < kTile) {
      right = edge.completeRight(right, bRow, words);
      rightRow = kBlock;
    }
    _tile_loadd(4, left.data, left.row);
    _tile_loadd(6, right, 4 * rightRow);
    _tile_loadd(7, right + kTile, 4 * rightRow);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (tiles == 2) {
      _tile_loadd(5, left.data + kTile * left.row, left.row);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, c, 4 * cRow);
  _tile_stored(1, c + kTile, 4 * cRow);
  if (tiles == 2) {
    _tile_stored(2, c + kTile * cRow, 4 * cRow);
    _tile_stored(3, c + kTile * cRow + kTile, 4 * cRow);
  }
}

/// The last rows, which do not fill their tiles: beside memory of their own.
template <int tiles>
void multiplyLastTiles(int64_t count, int64_t inner, Left a, const Word *b,
                       int64_t bRow, float *c, int64_t cRow, bool add) {
  alignas(64) float sums[2 * kTile * kBlock] = {};
  for (int64_t m = 0; add && m < count; ++m)
    std::memcpy(sums + m * kBlock, c + m * cRow, 4 * kBlock);
  multiplyTiles<tiles>(count, inner, a, b, bRow, sums, kBlock, add);
  for (int64_t m = 0; m < count; ++m)
    std::memcpy(c + m * cRow, sums + m * kBlock, 4 * kBlock);
}

template <int tiles>
void multiplyWithTiles(int64_t count, int64_t inner, Left a, const Word *b,
                       int64_t bRow, float *c, int64_t cRow, bool add) {
  if (count == tiles * kTile)
    multiplyTiles<tiles>(count, inner, a, b, bRow, c, cRow, add);
  else
    multiplyLastTiles<tiles>(count, inner, a, b, bRow, c, cRow, add);
}

/// Sets the tiles of a thread up, all of them whole, and puts them away: with
/// something in them a thread is slower to switch to.
struct TileUnit {
  TileUnit() {
    alignas(64) static constexpr uint8_t config[64] = {
        1,  0,  0,  0,  0,  0,  0,  0,  0,  0, 0,  0, 0,  0, 0,  0,
        64, 0,  64, 0,  64, 0,  64, 0,  64, 0, 64, 0, 64, 0, 64, 0,
        0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 0,  0, 0,  0, 0,  0,
        16, 16, 16, 16, 16, 16, 16, 16, 0,  0, 0,  0, 0,  0, 0,  0};
    _tile_loadconfig(config);
  }
  ~TileUnit() { _tile_release(); }
  TileUnit(const TileUnit &) = delete;
  TileUnit &operator=(const TileUnit &) = delete;

  static int64_t countColumnWords(int64_t count, int64_t width) {
    return countTileColumnWords(count, width);
  }
  static Left viewColumns(Left rows, int64_t count, int64_t width,
                          Word *buffer) {
    return viewTileColumns(rows, count, width, buffer);
  }

  template <Mode mode>
  void multiply(int64_t rows, int64_t inner, Left a, const Word *b,
                int64_t bRow, float *c, int64_t cRow,
                const float *alpha = nullptr) const {
    for (int64_t m = 0; mode == Mode::Scale && m < rows; ++m)
      for (int64_t v = 0; v < kBlock; v += kLanes)
        store(c + m * cRow + v, load(c + m * cRow + v) * load(alpha + v));
    for (int64_t m = 0; m < rows; m += 2 * kTile) {
      int64_t count = smaller(2 * kTile, rows - m);
      auto multiply =
          count > kTile ? multiplyWithTiles<2> : multiplyWithTiles<1>;
      multiply(count, inner, skipRows(a, m), b, bRow, c + m * cRow, cRow,
               mode != Mode::Set);
    }
  }
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_TILES_H
