#include "Element.h"
#include "mpc/Runtime/Random.h"
#include "mpc/Support/DType.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;

template <typename T> static void put(uint8_t *data, uint64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

/// Rounds `value` to `type` and writes it as element `index`.
void runtime::storeElement(ElementType type, uint8_t *data, uint64_t index,
                           double value) {
  switch (type) {
  case ElementType::F64:
    return put(data, index, value);
  case ElementType::F32:
    return put(data, index, static_cast<float>(value));
  case ElementType::F16:
    return put(data, index, floatToHalf(static_cast<float>(value)));
  case ElementType::BF16:
    return put(data, index, floatToBFloat(static_cast<float>(value)));
  case ElementType::I64:
    return put(data, index, static_cast<int64_t>(value));
  case ElementType::I32:
    return put(data, index, static_cast<int32_t>(value));
  case ElementType::I1:
    return put(data, index, static_cast<uint8_t>(value != 0));
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return; // the reader refuses programs that would come here
  }
}

template <typename T> static T get(const uint8_t *data, uint64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

double runtime::loadElement(ElementType type, const uint8_t *data,
                            uint64_t index) {
  switch (type) {
  case ElementType::F64:
    return get<double>(data, index);
  case ElementType::F32:
    return get<float>(data, index);
  case ElementType::F16:
    return halfToFloat(get<uint16_t>(data, index));
  case ElementType::BF16:
    return bfloatToFloat(get<uint16_t>(data, index));
  case ElementType::I64:
    return static_cast<double>(get<int64_t>(data, index));
  case ElementType::I32:
    return get<int32_t>(data, index);
  case ElementType::I1:
    return get<uint8_t>(data, index) != 0;
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return 0;
  }
  return 0;
}
