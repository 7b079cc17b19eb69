#include "Element.h"
#include "mpc/Support/DType.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;

template <typename T, typename Round>
static void put(uint8_t *data, uint64_t index, std::span<const double> values,
                Round round) {
  data += index * sizeof(T);
  for (size_t i = 0; i < values.size(); ++i) {
    T value = round(values[i]);
    std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  }
}

void runtime::storeElements(ElementType type, uint8_t *data, uint64_t index,
                            std::span<const double> values) {
  switch (type) {
  case ElementType::F64:
    return put<double>(data, index, values, [](double x) { return x; });
  case ElementType::F32:
    return put<float>(data, index, values,
                      [](double x) { return static_cast<float>(x); });
  case ElementType::F16:
    return put<uint16_t>(data, index, values, [](double x) {
      return floatToHalf(static_cast<float>(x));
    });
  case ElementType::BF16:
    return put<uint16_t>(data, index, values, [](double x) {
      return floatToBFloat(static_cast<float>(x));
    });
  case ElementType::I64:
    return put<int64_t>(data, index, values,
                        [](double x) { return static_cast<int64_t>(x); });
  case ElementType::I32:
    return put<int32_t>(data, index, values,
                        [](double x) { return static_cast<int32_t>(x); });
  case ElementType::I1:
    return put<uint8_t>(data, index, values,
                        [](double x) { return static_cast<uint8_t>(x != 0); });
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
