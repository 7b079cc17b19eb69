#include "Constant.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mpc/Support/DType.h"

#include <cmath>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

namespace {
struct TypeRow {
  int type;
  const char *name;
  int64_t bytes;
  bool isFloat;
};
} // namespace

/// Those without bytes are known by name alone.
static constexpr TypeRow kTypes[] = {
    {TensorProto::FLOAT, "float32", 4, true},
    {TensorProto::UINT8, "uint8", 1, false},
    {TensorProto::INT8, "int8", 1, false},
    {TensorProto::UINT16, "uint16", 2, false},
    {TensorProto::INT16, "int16", 2, false},
    {TensorProto::INT32, "int32", 4, false},
    {TensorProto::INT64, "int64", 8, false},
    {TensorProto::STRING, "string", 0, false},
    {TensorProto::BOOL, "bool", 1, false},
    {TensorProto::FLOAT16, "float16", 2, true},
    {TensorProto::DOUBLE, "float64", 8, true},
    {TensorProto::UINT32, "uint32", 4, false},
    {TensorProto::UINT64, "uint64", 8, false},
    {TensorProto::COMPLEX64, "complex64", 0, false},
    {TensorProto::COMPLEX128, "complex128", 0, false},
    {TensorProto::BFLOAT16, "bfloat16", 2, true},
    // Newer than the schema; the numbers are ONNX'.
    {17, "float8e4m3fn", 0, false},
    {18, "float8e4m3fnuz", 0, false},
    {19, "float8e5m2", 0, false},
    {20, "float8e5m2fnuz", 0, false},
    {21, "uint4", 0, false},
    {22, "int4", 0, false},
    {23, "float4e2m1", 0, false},
    {24, "float8e8m0", 0, false},
    {25, "uint2", 0, false},
    {26, "int2", 0, false}};

static const TypeRow *findType(int type) {
  for (const TypeRow &row : kTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

bool mpc::onnx::isFloatType(int type) {
  const TypeRow *row = findType(type);
  return row && row->isFloat;
}

std::string mpc::onnx::nameOf(int type) {
  const TypeRow *row = findType(type);
  return row ? row->name : "data type " + std::to_string(type);
}

int64_t mpc::onnx::bytesOf(int type) {
  const TypeRow *row = findType(type);
  return row ? row->bytes : 0;
}

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
  for (const TypeRow &row : kTypes)
    if (elementTypeOf(row.type, element.getContext()) == element)
      return row.type;
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
    bool fits = value > -0x1p63 && value < 0x1p63;
    ints[i] = wrapTo(type, fits ? int64_t(value) : 0);
  }
}

std::optional<int64_t> mpc::onnx::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool isEmpty = llvm::is_contained(shape, 0);
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    if (!isEmpty && (__builtin_mul_overflow(count, dim, &count) ||
                     count > (int64_t(1) << 62)))
      return std::nullopt;
  }
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

mlir::DenseElementsAttr mpc::onnx::toAttribute(const Constant &constant,
                                               MLIRContext *context) {
  Type element = elementTypeOf(constant.type, context);
  if (!element || constant.size() == 0)
    return {};
  auto type = mlir::RankedTensorType::get(constant.shape, element);
  if (auto floats = dyn_cast<mlir::FloatType>(element)) {
    SmallVector<llvm::APFloat> values;
    values.reserve(constant.reals.size());
    for (double real : constant.reals) {
      bool isInexact;
      llvm::APFloat value(real);
      value.convert(floats.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &isInexact);
      values.push_back(value);
    }
    return mlir::DenseElementsAttr::get(type, values);
  }
  SmallVector<llvm::APInt> values;
  values.reserve(constant.ints.size());
  for (int64_t integer : constant.ints)
    values.emplace_back(element.getIntOrFloatBitWidth(), integer,
                        /*isSigned=*/true, /*implicitTrunc=*/true);
  return mlir::DenseElementsAttr::get(type, values);
}
