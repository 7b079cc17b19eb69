// Tensors whose elements are known while a model is read: what shapes are
// computed from, and what nodes take as numbers.
#ifndef MPC_LIB_IMPORT_ONNX_CONSTANT_H
#define MPC_LIB_IMPORT_ONNX_CONSTANT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Interfaces/LLVM.h"
#include "mpc/Onnx/ElementTypes.h"
#include "onnx.pb.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc::onnx {

using Shape = SmallVector<int64_t>;
using DataType = ::onnx::TensorProto_DataType;

/// The most elements that a node may make while a model is read.
constexpr int64_t kMostElements = int64_t(1) << 25;
/// And all nodes together.
constexpr int64_t kMostElementsInAll = int64_t(1) << 27;

/// Elements of one type in row-major order. A dim may be 0. Unsigned integers
/// of 64 bits are kept as the signed ones of their bits.
struct Constant {
  int type = ::onnx::TensorProto::FLOAT; ///< A DataType.
  Shape shape;
  std::vector<double> reals; ///< Of float types.
  std::vector<int64_t> ints; ///< Of the others.

  Constant() = default;
  /// Zeros.
  Constant(int type, ArrayRef<int64_t> shape);
  static Constant ofInts(ArrayRef<int64_t> values);
  static Constant scalar(int type, double value);

  int64_t rank() const { return shape.size(); }
  int64_t size() const { return isFloat() ? reals.size() : ints.size(); }
  bool isFloat() const;
  bool isUnsigned64() const { return type == ::onnx::TensorProto::UINT64; }
  double real(int64_t i) const {
    return isFloat()        ? reals[i]
           : isUnsigned64() ? double(uint64_t(ints[i]))
                            : double(ints[i]);
  }
  /// Of a float its whole part, 0 if that is no int64.
  int64_t integer(int64_t i) const;
  /// Stores `value` as an element of the type has it: rounded, or wrapped.
  void set(int64_t i, double value);
  void setInt(int64_t i, int64_t value);
  /// Copies element `from` of `other`, which has the same type.
  void copy(int64_t i, const Constant &other, int64_t from) {
    if (isFloat())
      reals[i] = other.reals[from];
    else
      ints[i] = other.ints[from];
  }
};

using ConstantPtr = std::shared_ptr<const Constant>;

/// The element type in a module, or null if the graph dialect has none.
Type elementTypeOf(int type, MLIRContext *context);
/// The data type of `element`, a type that `elementTypeOf` gives.
int dataTypeOf(Type element);

/// The product of `shape`; nothing if a dim is negative, or if it exceeds 2^62,
/// where a dim is 0 that of the others: strides and loops over some dims count
/// by that.
std::optional<int64_t> countElements(ArrayRef<int64_t> shape);
/// Distances between neighbours along each dim.
Shape stridesOf(ArrayRef<int64_t> shape);
/// Steps `index` to the next one of `shape`; false after the last.
bool advance(Shape &index, ArrayRef<int64_t> shape);
/// `value` as data type `type` can hold it.
double roundTo(int type, double value);
int64_t wrapTo(int type, int64_t value);

/// `x` in another type.
Constant castConstant(const Constant &x, int type);
/// The value as an attribute; null where the type has none.
mlir::DenseElementsAttr toAttribute(const Constant &constant,
                                    MLIRContext *context);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_CONSTANT_H
