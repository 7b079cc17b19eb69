// A tensor of the reference interpreter: every float as a double, every
// integer and boolean as an int64_t, row-major, no cleverness.
#ifndef MPC_TEST_REFERENCE_TENSOR_H
#define MPC_TEST_REFERENCE_TENSOR_H

#include "mpc/Interfaces/LLVM.h"
#include "mpc/Support/DType.h"
#include <vector>

namespace mpc::reference {

using Shape = std::vector<int64_t>;

/// `type` says how values are rounded and printed; it does not bound what is
/// stored, so in exact mode an f16 tensor holds unrounded doubles.
struct Tensor {
  DType type = DType::F64;
  Shape shape;
  std::vector<double> reals; ///< Elements of a float tensor, else empty.
  std::vector<int64_t> ints; ///< Elements of an integer or i1 tensor.

  Tensor() = default;
  /// Zeros.
  Tensor(DType type, Shape shape);
  static Tensor real(DType type, Shape shape, std::vector<double> values);
  static Tensor integer(DType type, Shape shape, std::vector<int64_t> values);
  /// Zeros of an MLIR tensor type, which must be static with a known DType.
  static Tensor zeros(Type type);

  bool isFloat() const { return mpc::reference::Tensor::isFloat(type); }
  static bool isFloat(DType type);
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  size_t size() const;
  /// Element `i` of either kind.
  double value(size_t i) const {
    return isFloat() ? reals[i] : static_cast<double>(ints[i]);
  }
};

size_t numElements(const Shape &shape);

/// Row-major strides, in elements.
Shape strides(const Shape &shape);

/// For each element of `to`, the element of `from` that NumPy's broadcasting
/// puts there. `from` must broadcast to `to`.
std::vector<size_t> broadcastMap(const Shape &from, const Shape &to);

/// The number of `type` nearest to `value`, ties to even; above the largest
/// finite number by half a unit is infinity. f64 is returned unchanged.
double roundTo(DType type, double value);

/// `value` reduced to the width of integer `type` (i1: whether it is odd).
int64_t wrapTo(DType type, int64_t value);

/// Rounds every element of a float tensor to its type.
void roundElements(Tensor &tensor);

/// The DType of an MLIR element type; the type must be one of graph's.
DType toDType(Type element);

/// "tensor<2x3xf32>".
std::string typeString(const Tensor &tensor);

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_TENSOR_H
