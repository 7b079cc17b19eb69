// Single elements of a tensor as numbers, whatever their format.
#ifndef MPC_LIB_DATA_ELEMENTACCESS_H
#define MPC_LIB_DATA_ELEMENTACCESS_H

#include "mpc/Data/Tensor.h"

#include <cstring>

namespace mpc::data {

class ElementReader {
public:
  explicit ElementReader(const Tensor &tensor)
      : format(tensor.format), base(tensor.bytes.data()),
        count(tensor.bytes.size() / tensor.format.bytes) {}

  uint64_t size() const { return count; }

  /// The value of a float element.
  double asDouble(uint64_t index) const {
    if (format.bytes == 8)
      return load<double>(index);
    if (format.bytes == 4)
      return load<float>(index);
    uint16_t bits = load<uint16_t>(index);
    return format.kind == ElementFormat::BFloat ? bfloatToFloat(bits)
                                                : halfToFloat(bits);
  }
  /// The value of a signed or bool element.
  int64_t asSigned(uint64_t index) const {
    switch (format.bytes) {
    case 1:
      return load<int8_t>(index);
    case 2:
      return load<int16_t>(index);
    case 4:
      return load<int32_t>(index);
    default:
      return load<int64_t>(index);
    }
  }
  /// The value of an unsigned element.
  uint64_t asUnsigned(uint64_t index) const {
    uint64_t value = 0; // little-endian, so the low bytes come first
    std::memcpy(&value, base + index * format.bytes, format.bytes);
    return value;
  }

private:
  template <typename T> T load(uint64_t index) const {
    T value;
    std::memcpy(&value, base + index * sizeof(T), sizeof(T));
    return value;
  }
  ElementFormat format;
  const std::byte *base;
  uint64_t count;
};

} // namespace mpc::data

#endif // MPC_LIB_DATA_ELEMENTACCESS_H
