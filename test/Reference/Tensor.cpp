#include "Reference/Tensor.h"

#include <cassert>
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

size_t reference::numElements(const Shape &shape) {
  size_t count = 1;
  for (int64_t dim : shape)
    count *= static_cast<size_t>(dim);
  return count;
}

bool Tensor::isFloat(DType type) {
  return type != DType::I64 && type != DType::I32 && type != DType::I1;
}

Tensor::Tensor(DType type, Shape shape) : type(type), shape(std::move(shape)) {
  if (isFloat())
    reals.resize(numElements(this->shape));
  else
    ints.resize(numElements(this->shape));
}

Tensor Tensor::real(DType type, Shape shape, std::vector<double> values) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.reals = std::move(values);
  assert(tensor.isFloat() && tensor.reals.size() == tensor.size());
  return tensor;
}

Tensor Tensor::integer(DType type, Shape shape, std::vector<int64_t> values) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.ints = std::move(values);
  assert(!tensor.isFloat() && tensor.ints.size() == tensor.size());
  return tensor;
}

Tensor Tensor::zeros(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  return Tensor(toDType(ranked.getElementType()),
                Shape(ranked.getShape().begin(), ranked.getShape().end()));
}

size_t Tensor::size() const { return numElements(shape); }

Shape reference::strides(const Shape &shape) {
  Shape result(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    result[i - 1] = result[i] * shape[i];
  return result;
}

std::vector<size_t> reference::broadcastMap(const Shape &from,
                                            const Shape &to) {
  Shape fromStrides = strides(from);
  size_t missing = to.size() - from.size();
  std::vector<size_t> map(numElements(to));
  for (size_t flat = 0; flat < map.size(); ++flat) {
    size_t rest = flat, index = 0;
    for (size_t dim = to.size(); dim-- > missing;) {
      size_t position = rest % static_cast<size_t>(to[dim]);
      rest /= static_cast<size_t>(to[dim]);
      if (from[dim - missing] != 1)
        index += position * static_cast<size_t>(fromStrides[dim - missing]);
    }
    map[flat] = index;
  }
  return map;
}

double reference::roundTo(DType type, double value) {
  if (type == DType::F64 || !std::isfinite(value) || value == 0)
    return value;
  if (type == DType::F32)
    return static_cast<float>(value);
  const DTypeInfo &info = getInfo(type);
  // The unit in the last place at `value`: subnormals share the smallest one.
  int exponent = std::max(std::ilogb(value), std::ilogb(info.minNormal));
  double unit = std::ldexp(1.0, exponent - static_cast<int>(info.mantissaBits));
  double rounded = std::nearbyint(value / unit) * unit;
  if (std::abs(rounded) > info.maxFinite)
    return std::copysign(HUGE_VAL, value);
  return std::copysign(rounded, value);
}

int64_t reference::wrapTo(DType type, int64_t value) {
  if (type == DType::I1)
    return value & 1;
  return type == DType::I32 ? static_cast<int32_t>(value) : value;
}

void reference::roundElements(Tensor &tensor) {
  for (double &element : tensor.reals)
    element = roundTo(tensor.type, element);
}

static std::string elementName(Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return name;
}

DType reference::toDType(Type element) {
  std::optional<DType> type = parseDType(elementName(element));
  assert(type && "not an element type of the graph dialect");
  return *type;
}

std::string reference::typeString(const Tensor &tensor) {
  std::string text = "tensor<";
  for (int64_t dim : tensor.shape)
    text += std::to_string(dim) + "x";
  return text + std::string(getInfo(tensor.type).name) + ">";
}
