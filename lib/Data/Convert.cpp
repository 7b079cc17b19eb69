// Between any two formats, a value goes through the widest type of its kind:
// double, or a signed 64-bit integer. Both steps are exact, or keep what the
// last one needs, so only that, into the wanted type, can round (floats) or
// fail (integers).
#include "ElementAccess.h"
#include "mpc/Support/Assert.h"
#include "mpc/Support/PlainArithmetic.h"

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

/// Of 64 bits the upper 53, the last of them set where one is that follows it:
/// a double has them all, and a narrower format rounds them as the integer.
template <typename Integer> static double roundToOdd(Integer value) {
  constexpr Integer rest = 0x7ff, last = 0x800;
  return static_cast<double>((value & ~rest) | ((value & rest) ? last : 0));
}

static double anyAsDouble(const ElementReader &reader, ElementFormat format,
                          uint64_t i, DType wanted) {
  constexpr int64_t exact = int64_t(1) << 53;
  if (format.isFloat())
    return reader.asDouble(i);
  bool rounds = wanted != DType::F64;
  if (format.kind == ElementFormat::Unsigned) {
    uint64_t value = reader.asUnsigned(i);
    return rounds && value > uint64_t(exact) ? roundToOdd(value)
                                             : static_cast<double>(value);
  }
  int64_t value = reader.asSigned(i);
  return rounds && (value > exact || value < -exact)
             ? roundToOdd(value)
             : static_cast<double>(value);
}

std::optional<uint64_t> mpc::data::convertElements(const Tensor &tensor,
                                                   DType type, uint64_t first,
                                                   uint64_t count,
                                                   std::byte *to) {
  std::optional<ElementFormat> wanted = formatOf(type);
  MPC_ASSERT(wanted, "a type that files hold");
  ElementReader reader(tensor);
  PlainArithmetic arithmetic;
  for (uint64_t i = first; i < first + count; ++i, to += wanted->bytes) {
    if (wanted->isFloat()) {
      storeFloat(to, type, anyAsDouble(reader, tensor.format, i, type));
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
