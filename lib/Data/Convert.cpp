// Between any two formats, a value goes through the widest type of its kind:
// double, or a signed 64-bit integer. Both steps are exact, so only the last,
// into the wanted type, can round (floats) or fail (integers).
#include "ElementAccess.h"
#include "mpc/Support/Assert.h"

#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::data;

/// Rounds once, also from double: a double is first rounded to odd in f32,
/// which keeps enough of it to round correctly to 16 bits.
static float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value)
    return nearest;
  if (std::isinf(nearest))
    return nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof(bits));
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits; // towards zero
  bits |= 1;
  std::memcpy(&nearest, &bits, sizeof(bits));
  return nearest;
}

static void storeFloat(std::byte *to, DType type, double value) {
  if (type == DType::F64) {
    std::memcpy(to, &value, sizeof(value));
    return;
  }
  if (type == DType::F32) {
    float narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
    return;
  }
  float odd = roundToOdd(value);
  uint16_t bits = type == DType::F16 ? floatToHalf(odd) : floatToBFloat(odd);
  std::memcpy(to, &bits, sizeof(bits));
}

/// The element as an integer, or nothing if it is not one.
static std::optional<int64_t> wholeNumber(const ElementReader &reader,
                                          ElementFormat format, uint64_t i) {
  if (format.kind == ElementFormat::Unsigned) {
    uint64_t value = reader.asUnsigned(i);
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
    return static_cast<int64_t>(value);
  }
  if (!format.isFloat())
    return reader.asSigned(i);
  double value = reader.asDouble(i);
  if (!(value >= -0x1p63 && value < 0x1p63) || value != std::trunc(value))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

static bool storeInteger(std::byte *to, DType type, int64_t value) {
  if (type == DType::I64) {
    std::memcpy(to, &value, sizeof(value));
    return true;
  }
  if (type == DType::I32) {
    int32_t narrow = static_cast<int32_t>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
    return narrow == value;
  }
  *to = static_cast<std::byte>(value);
  return value == 0 || value == 1;
}

static double anyAsDouble(const ElementReader &reader, ElementFormat format,
                          uint64_t i) {
  if (format.isFloat())
    return reader.asDouble(i);
  if (format.kind == ElementFormat::Unsigned)
    return static_cast<double>(reader.asUnsigned(i));
  return static_cast<double>(reader.asSigned(i));
}

std::optional<uint64_t> mpc::data::convertElements(const Tensor &tensor,
                                                   DType type, uint64_t first,
                                                   uint64_t count,
                                                   std::byte *to) {
  std::optional<ElementFormat> wanted = formatOf(type);
  MPC_ASSERT(wanted, "a type that files hold");
  ElementReader reader(tensor);
  for (uint64_t i = first; i < first + count; ++i, to += wanted->bytes) {
    if (wanted->isFloat()) {
      storeFloat(to, type, anyAsDouble(reader, tensor.format, i));
      continue;
    }
    std::optional<int64_t> value = wholeNumber(reader, tensor.format, i);
    if (!value || !storeInteger(to, type, *value))
      return i;
  }
  return std::nullopt;
}

Result<Tensor> mpc::data::convert(const Tensor &tensor, DType type,
                                  const std::string &what) {
  std::optional<ElementFormat> wanted = formatOf(type);
  if (!wanted)
    return Status(StatusCode::TypeMismatch,
                  what + ": conversion to " + std::string(getInfo(type).name) +
                      " is not supported");
  Tensor result{*wanted, tensor.shape, {}};
  uint64_t count = tensor.bytes.size() / tensor.format.bytes;
  try {
    result.bytes.resize(count * wanted->bytes);
  } catch (const std::exception &) {
    return Status(StatusCode::OutOfMemory, what + ": no memory to convert it");
  }
  std::optional<uint64_t> bad =
      convertElements(tensor, type, 0, count, result.bytes.data());
  if (bad)
    return Status(StatusCode::InvalidArgument,
                  what + ": value " + valueAsText(tensor, *bad) +
                      " at element " + std::to_string(*bad) +
                      " cannot be converted to " + wanted->name());
  return result;
}
