// What an op says of its windows, read from its attributes: an oracle takes no
// formula from what it judges.
#ifndef MPC_TEST_REFERENCE_WINDOWWORDS_H
#define MPC_TEST_REFERENCE_WINDOWWORDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <utility>
#include <vector>

namespace mpc::reference {

struct WindowWords {
  WindowWords(mlir::Operation *op, size_t rank)
      : strides(read(op, "strides", rank, 1)), low(read(op, "low", rank, 0)),
        high(read(op, "high", rank, 0)),
        dilations(read(op, "dilations", rank, 1)), isSame(op->hasAttr("same")) {
  }

  /// Places before and behind `size` elements for `count` windows of `kernel`.
  /// `same`: as few as hold all windows, the larger half behind.
  std::pair<int64_t, int64_t> findBeside(size_t dim, int64_t kernel,
                                         int64_t size, int64_t count) const {
    if (!isSame)
      return {low[dim], high[dim]};
    int64_t beside = 0;
    while ((count - 1) * strides[dim] + (kernel - 1) * dilations[dim] >=
           size + beside)
      ++beside;
    return {beside / 2, beside - beside / 2};
  }

  std::vector<int64_t> strides, low, high, dilations;
  bool isSame;

private:
  static std::vector<int64_t> read(mlir::Operation *op, llvm::StringRef word,
                                   size_t rank, int64_t usual) {
    auto given = op->getAttrOfType<mlir::DenseI64ArrayAttr>(word);
    return given ? given.asArrayRef().vec() : std::vector<int64_t>(rank, usual);
  }
};

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_WINDOWWORDS_H
