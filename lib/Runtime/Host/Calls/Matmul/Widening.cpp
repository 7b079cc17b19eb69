#include "Widening.h"
#include "Conversion.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::toSpan;

/// Elements that one worker widens at a time.
static constexpr int64_t kPiece = 1 << 14;

Widening::Widening(const program::CallOperand &operand)
    : type(static_cast<DType>(operand.type())),
      packed(toSpan(operand.shape()).size(), 0) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           strides = toSpan(operand.strides());
  std::vector<size_t> byStride; // smallest first, of dims that move at all
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1 && strides[dim] != 0)
      byStride.push_back(dim);
  std::ranges::sort(byStride, {}, [&](size_t dim) {
    return std::pair(strides[dim], shape.size() - dim);
  });
  constexpr int64_t most = int64_t(1) << 46; // 2^48 bytes
  int64_t elements = 1;
  for (size_t dim : byStride) {
    if (shape[dim] > most / elements) {
      tooLarge =
          program::getName(operand.role()) + (" " + formatOperand(operand));
      return;
    }
    packed[dim] = elements;
    // As long as nothing lies between, rows only grow.
    if (strides[dim] == elements && extents.empty()) {
      width *= shape[dim];
    } else {
      extents.insert(extents.begin(), shape[dim]);
      distances.insert(distances.begin(), strides[dim]);
      rows *= shape[dim];
    }
    elements *= shape[dim];
  }
  // A dim of 1 is never walked, but libraries want its stride to make sense.
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 1)
      packed[dim] = strides[dim] == 1 ? 1 : elements;
  rowsOfPiece = std::max<int64_t>(1, kPiece / width);
}

Status Widening::check() const {
  if (tooLarge.empty())
    return {};
  return {StatusCode::OutOfMemory,
          "matmul: " + tooLarge + " has too many elements to be widened"};
}

void Widening::widenPiece(uint32_t piece) const {
  if (extents.empty()) { // one row, in pieces
    int64_t first = piece * kPiece;
    widen(type, source + first, result + first,
          std::min(kPiece, width - first));
    return;
  }
  int64_t first = piece * rowsOfPiece,
          last = std::min(rows, first + rowsOfPiece);
  for (int64_t row = first; row < last; ++row) {
    int64_t offset = 0, index = row;
    for (size_t dim = extents.size(); dim-- > 0; index /= extents[dim])
      offset += index % extents[dim] * distances[dim];
    widen(type, source + offset, result + row * width, width);
  }
}

void Widening::run(ThreadPool &pool, const void *from, float *to) {
  source = static_cast<const uint16_t *>(from);
  result = to;
  int64_t pieces = extents.empty() ? (width + kPiece - 1) / kPiece
                                   : (rows + rowsOfPiece - 1) / rowsOfPiece;
  auto task = [](void *self, uint32_t piece, uint32_t) {
    static_cast<const Widening *>(self)->widenPiece(piece);
  };
  pool.run(static_cast<uint32_t>(pieces), task, this);
}
