#include "mpc/Data/Tensor.h"

#include "ElementAccess.h"

#include <cmath>
#include <cstdio>

using namespace mpc;
using namespace mpc::data;

std::string ElementFormat::name() const {
  static constexpr const char *kPrefix[] = {"f", "bf", "i", "u", "i"};
  return kPrefix[kind] + std::to_string(kind == Bool ? 1 : bytes * 8);
}

std::optional<ElementFormat> mpc::data::formatOf(DType type) {
  switch (type) {
  case DType::F64:
    return ElementFormat{ElementFormat::Float, 8};
  case DType::F32:
    return ElementFormat{ElementFormat::Float, 4};
  case DType::F16:
    return ElementFormat{ElementFormat::Float, 2};
  case DType::BF16:
    return ElementFormat{ElementFormat::BFloat, 2};
  case DType::I64:
    return ElementFormat{ElementFormat::Signed, 8};
  case DType::I32:
    return ElementFormat{ElementFormat::Signed, 4};
  case DType::I1:
    return ElementFormat{ElementFormat::Bool, 1};
  case DType::F8E4M3:
  case DType::F8E5M2:
    break;
  }
  return std::nullopt;
}

std::optional<uint64_t> mpc::data::countElements(const Shape &shape) {
  uint64_t count = 1;
  bool empty = false, overflow = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    empty |= dim == 0;
    if (dim != 0)
      overflow |=
          __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count);
  }
  if (empty)
    return 0;
  return overflow ? std::nullopt : std::optional(count);
}

std::string mpc::data::describe(const Shape &shape,
                                const std::string &elementName) {
  std::string text;
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + elementName;
}

std::optional<uint64_t> mpc::data::findNonFinite(const Tensor &tensor) {
  if (!tensor.format.isFloat())
    return std::nullopt;
  ElementReader reader(tensor);
  for (uint64_t i = 0, count = reader.size(); i < count; ++i)
    if (!std::isfinite(reader.asDouble(i)))
      return i;
  return std::nullopt;
}

std::optional<uint64_t> mpc::data::findOverflow(const Tensor &before,
                                                const Tensor &after) {
  ElementReader from(before), to(after);
  for (uint64_t i = 0, count = from.size(); i < count; ++i)
    if (!std::isfinite(to.asDouble(i)) && std::isfinite(from.asDouble(i)))
      return i;
  return std::nullopt;
}

std::string mpc::data::valueAsText(const Tensor &tensor, uint64_t index) {
  ElementReader reader(tensor);
  if (!tensor.format.isFloat())
    return tensor.format.kind == ElementFormat::Unsigned
               ? std::to_string(reader.asUnsigned(index))
               : std::to_string(reader.asSigned(index));
  char text[32];
  std::snprintf(text, sizeof(text), "%g", reader.asDouble(index));
  return text;
}
