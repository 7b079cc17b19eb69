#include "mpc/Onnx/ElementTypes.h"
#include "onnx.pb.h"

using namespace mpc;
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

std::optional<DType> mpc::onnx::floatFormatOf(int type) {
  switch (type) {
  case TensorProto::FLOAT:
    return DType::F32;
  case TensorProto::DOUBLE:
    return DType::F64;
  case TensorProto::FLOAT16:
    return DType::F16;
  case TensorProto::BFLOAT16:
    return DType::BF16;
  default:
    return std::nullopt;
  }
}
