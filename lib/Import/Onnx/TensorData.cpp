#include "TensorData.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Onnx/ExternalData.h"
#include "mpc/Support/DType.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

FailureOr<Shape> TensorData::shapeOf(const TensorProto &tensor,
                                     std::string &error) {
  if (!bytesOf(tensor.data_type())) {
    error = "expected elements of a float, integer or bool type, but got " +
            nameOf(tensor.data_type());
    return failure();
  }
  if (tensor.has_segment()) {
    error = "expected the whole tensor, but got a segment of one";
    return failure();
  }
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  auto count = countElements(shape);
  if (!count || *count > kMaxTensorBytes / bytesOf(tensor.data_type())) {
    error = "expected dims that are not negative and, without those of 0, a "
            "tensor of at most 2^" +
            std::to_string(llvm::Log2_64(kMaxTensorBytes)) +
            " bytes, but got " + nameOf(tensor.data_type()) + " of " +
            graph::toString(shape);
    return failure();
  }
  return shape;
}

/// Copies `values` to elements of type To.
template <typename To, typename Values>
static std::vector<char> pack(const Values &values) {
  std::vector<char> bytes(values.size() * sizeof(To));
  for (int i = 0, e = values.size(); i < e; ++i) {
    To value = static_cast<To>(values.Get(i));
    std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(To));
  }
  return bytes;
}

/// The elements of a field of numbers of the tensor's type.
static std::vector<char> packField(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return pack<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return pack<double>(tensor.double_data());
  case TensorProto::INT64:
    return pack<int64_t>(tensor.int64_data());
  case TensorProto::UINT64:
    return pack<uint64_t>(tensor.uint64_data());
  case TensorProto::UINT32:
    return pack<uint32_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return pack<int32_t>(tensor.int32_data());
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return pack<uint16_t>(tensor.int32_data());
  default:
    return pack<uint8_t>(tensor.int32_data());
  }
}

static bool hasNumbers(const TensorProto &tensor) {
  return tensor.float_data_size() || tensor.double_data_size() ||
         tensor.int32_data_size() || tensor.int64_data_size() ||
         tensor.uint64_data_size();
}

FailureOr<ArrayRef<char>> TensorData::bytes(const TensorProto &tensor,
                                            std::string &error) {
  FailureOr<Shape> shape = shapeOf(tensor, error);
  if (failed(shape))
    return failure();
  uint64_t size = *countElements(*shape) * bytesOf(tensor.data_type());
  ArrayRef<char> found;
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    auto read = readExternalData(tensor, folder, size, external);
    if (!read) {
      error = read.status().message();
      return failure();
    }
    external += size;
    storage.push_back(std::move(*read));
    found = storage.back();
  } else if (tensor.has_raw_data()) {
    if (hasNumbers(tensor)) {
      error = "expected one field of data, but got raw data and numbers";
      return failure();
    }
    found = ArrayRef<char>(tensor.raw_data().data(), tensor.raw_data().size());
  } else {
    storage.push_back(packField(tensor));
    found = storage.back();
  }
  if (found.size() == size)
    return found;
  error = "expected " + std::to_string(size) +
          " bytes of data for its shape and type, but got " +
          std::to_string(found.size());
  return failure();
}

template <typename T, typename Out>
static void unpack(ArrayRef<char> bytes, std::vector<Out> &out,
                   Out (*convert)(T) = nullptr) {
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = convert ? convert(value) : static_cast<Out>(value);
  }
}

static void unpackAll(ArrayRef<char> bytes, Constant &to) {
  switch (to.type) {
  case TensorProto::FLOAT:
    return unpack<float>(bytes, to.reals);
  case TensorProto::DOUBLE:
    return unpack<double>(bytes, to.reals);
  case TensorProto::FLOAT16:
    return unpack<uint16_t, double>(
        bytes, to.reals, [](uint16_t x) { return double(halfToFloat(x)); });
  case TensorProto::BFLOAT16:
    return unpack<uint16_t, double>(
        bytes, to.reals, [](uint16_t x) { return double(bfloatToFloat(x)); });
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return unpack<int64_t>(bytes, to.ints);
  case TensorProto::INT32:
    return unpack<int32_t>(bytes, to.ints);
  case TensorProto::UINT32:
    return unpack<uint32_t>(bytes, to.ints);
  case TensorProto::INT16:
    return unpack<int16_t>(bytes, to.ints);
  case TensorProto::UINT16:
    return unpack<uint16_t>(bytes, to.ints);
  case TensorProto::INT8:
    return unpack<int8_t>(bytes, to.ints);
  case TensorProto::BOOL:
    return unpack<uint8_t, int64_t>(bytes, to.ints,
                                    [](uint8_t x) { return int64_t(x != 0); });
  default:
    return unpack<uint8_t>(bytes, to.ints);
  }
}

FailureOr<Constant> TensorData::decode(const TensorProto &tensor,
                                       std::string &error) {
  size_t kept = storage.size();
  auto all = bytes(tensor, error);
  if (failed(all))
    return failure();
  Constant made(tensor.data_type(),
                ArrayRef<int64_t>(tensor.dims().data(), tensor.dims_size()));
  unpackAll(*all, made);
  storage.resize(kept); // what was read for this is copied
  return made;
}
