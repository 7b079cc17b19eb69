#include "Constant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mpc/Support/DType.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

Type mpc::onnx::elementTypeOf(int type, MLIRContext *context) {
  switch (type) {
  case TensorProto::FLOAT:
    return mlir::Float32Type::get(context);
  case TensorProto::DOUBLE:
    return mlir::Float64Type::get(context);
  case TensorProto::FLOAT16:
    return mlir::Float16Type::get(context);
  case TensorProto::BFLOAT16:
    return mlir::BFloat16Type::get(context);
  case TensorProto::INT64:
    return mlir::IntegerType::get(context, 64);
  case TensorProto::INT32:
    return mlir::IntegerType::get(context, 32);
  case TensorProto::BOOL:
    return mlir::IntegerType::get(context, 1);
  default:
    return {};
  }
}

int mpc::onnx::dataTypeOf(Type element) {
  for (int type = 1; type < TensorProto::DataType_ARRAYSIZE; ++type)
    if (elementTypeOf(type, element.getContext()) == element)
      return type;
  return TensorProto::UNDEFINED;
}

Constant::Constant(int type, ArrayRef<int64_t> shape)
    : type(type), shape(shape) {
  int64_t count = countElements(shape).value_or(0);
  if (isFloat())
    reals.resize(count);
  else
    ints.resize(count);
}

Constant Constant::ofInts(ArrayRef<int64_t> values) {
  Constant made(TensorProto::INT64, {int64_t(values.size())});
  made.ints.assign(values.begin(), values.end());
  return made;
}

Constant Constant::scalar(int type, double value) {
  Constant made(type, {});
  made.set(0, value);
  return made;
}

bool Constant::isFloat() const { return isFloatType(type); }

double mpc::onnx::roundTo(int type, double value) {
  switch (type) {
  case TensorProto::FLOAT:
    return float(value);
  case TensorProto::FLOAT16:
    return halfToFloat(floatToHalf(float(value)));
  case TensorProto::BFLOAT16:
    return bfloatToFloat(floatToBFloat(float(value)));
  default:
    return value;
  }
}

int64_t mpc::onnx::wrapTo(int type, int64_t value) {
  switch (type) {
  case TensorProto::BOOL:
    return value != 0;
  case TensorProto::INT32:
    return int32_t(value);
  case TensorProto::UINT32:
    return uint32_t(value);
  case TensorProto::INT16:
    return int16_t(value);
  case TensorProto::UINT16:
    return uint16_t(value);
  case TensorProto::INT8:
    return int8_t(value);
  case TensorProto::UINT8:
    return uint8_t(value);
  default:
    return value;
  }
}

int64_t Constant::integer(int64_t i) const {
  if (!isFloat())
    return ints[i];
  bool fits = reals[i] > -0x1p63 && reals[i] < 0x1p63;
  return fits ? int64_t(reals[i]) : 0;
}

void Constant::setInt(int64_t i, int64_t value) {
  if (isFloat())
    reals[i] = roundTo(type, double(value));
  else
    ints[i] = wrapTo(type, value);
}

void Constant::set(int64_t i, double value) {
  if (isFloat()) {
    reals[i] = roundTo(type, value);
  } else if (type == TensorProto::BOOL) {
    ints[i] = value != 0;
  } else {
    // Beyond the range of integers any answer is as good.
    if (isUnsigned64() && value >= 0x1p63 && value < 0x1p64) {
      ints[i] = int64_t(uint64_t(value));
      return;
    }
    bool fits = value > -0x1p63 && value < 0x1p63;
    ints[i] = wrapTo(type, fits ? int64_t(value) : 0);
  }
}

Constant mpc::onnx::castConstant(const Constant &x, int type) {
  Constant made(type, x.shape);
  bool isReal = x.isFloat() || (x.isUnsigned64() && made.isFloat());
  for (int64_t i = 0; i < x.size(); ++i)
    if (isReal)
      made.set(i, x.real(i));
    else
      made.setInt(i, x.ints[i]);
  return made;
}

std::optional<int64_t> mpc::onnx::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool isEmpty = llvm::is_contained(shape, 0);
  for (int64_t dim : shape)
    if (dim < 0 || (dim > 0 && (__builtin_mul_overflow(count, dim, &count) ||
                                count > (int64_t(1) << 62))))
      return std::nullopt;
  return isEmpty ? 0 : count;
}

Shape mpc::onnx::stridesOf(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

bool mpc::onnx::advance(Shape &index, ArrayRef<int64_t> shape) {
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    if (++index[dim] < shape[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

/// The elements as they lie in an attribute's buffer.
template <typename To, typename From>
static mlir::DenseElementsAttr pack(mlir::ShapedType type,
                                    const std::vector<From> &values,
                                    To (*convert)(From)) {
  std::vector<To> packed(values.size());
  llvm::transform(values, packed.begin(), convert);
  return mlir::DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(reinterpret_cast<const char *>(packed.data()),
                           packed.size() * sizeof(To)));
}

template <typename To, typename From> static To convertTo(From value) {
  return static_cast<To>(value);
}

static uint16_t toHalf(double value) { return floatToHalf(float(value)); }
static uint16_t toBFloat(double value) { return floatToBFloat(float(value)); }

/// One element for all, if they are the same bits.
static mlir::DenseElementsAttr makeSplat(mlir::RankedTensorType type,
                                         const Constant &constant) {
  auto isFirst = [&](auto value) {
    auto first = constant.isFloat() ? decltype(value)(constant.reals[0])
                                    : decltype(value)(constant.ints[0]);
    return std::memcmp(&value, &first, sizeof(value)) == 0;
  };
  if (constant.isFloat() ? !llvm::all_of(constant.reals, isFirst)
                         : !llvm::all_of(constant.ints, isFirst))
    return {};
  mlir::Builder b(type.getContext());
  Type element = type.getElementType();
  Attribute value = constant.isFloat()
                        ? Attribute(b.getFloatAttr(element, constant.reals[0]))
                        : b.getIntegerAttr(element, constant.ints[0]);
  return mlir::DenseElementsAttr::get(type, value);
}

mlir::DenseElementsAttr mpc::onnx::toAttribute(const Constant &constant,
                                               MLIRContext *context) {
  Type element = elementTypeOf(constant.type, context);
  if (!element || constant.size() == 0)
    return {};
  auto type = mlir::RankedTensorType::get(constant.shape, element);
  if (auto splat = makeSplat(type, constant))
    return splat;
  switch (constant.type) {
  case TensorProto::FLOAT:
    return pack(type, constant.reals, convertTo<float, double>);
  case TensorProto::DOUBLE:
    return pack(type, constant.reals, convertTo<double, double>);
  case TensorProto::FLOAT16:
    return pack(type, constant.reals, toHalf);
  case TensorProto::BFLOAT16:
    return pack(type, constant.reals, toBFloat);
  case TensorProto::INT64:
    return pack(type, constant.ints, convertTo<int64_t, int64_t>);
  case TensorProto::INT32:
    return pack(type, constant.ints, convertTo<int32_t, int64_t>);
  default:
    break;
  }
  SmallVector<bool> flags(
      llvm::map_range(constant.ints, [](int64_t value) { return value != 0; }));
  return mlir::DenseElementsAttr::get(type, ArrayRef<bool>(flags));
}
