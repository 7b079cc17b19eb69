// Tensors on the host: what data files hold and programs take.
#ifndef MPC_DATA_TENSOR_H
#define MPC_DATA_TENSOR_H

#include "mpc/Data/File.h"
#include "mpc/Support/DType.h"
#include "mpc/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpc::data {

using Shape = std::vector<int64_t>;

/// How an element lies in a file. Files know more types than programs: the
/// integers that have no DType can be read and converted.
struct ElementFormat {
  enum Kind : uint8_t { Float, BFloat, Signed, Unsigned, Bool };
  Kind kind;
  uint8_t bytes;

  bool operator==(const ElementFormat &) const = default;
  bool isFloat() const { return kind == Float || kind == BFloat; }
  /// "f32", "bf16", "u8", "i1": as types are written in IR.
  std::string name() const;
};

/// The format of a type's elements, or nothing for the 8-bit floats.
std::optional<ElementFormat> formatOf(DType type);

/// Dense, row-major, little-endian values.
struct Tensor {
  ElementFormat format;
  Shape shape;
  Bytes bytes;
};

/// Product of the dims, or nothing if a dim is negative or it overflows.
std::optional<uint64_t> countElements(const Shape &shape);
/// "64x10xf32", as in IR.
std::string describe(const Shape &shape, const std::string &elementName);

/// The same values in another type. Floats round to nearest even; integers and
/// bools must be representable, floats become integers
/// only if they are whole numbers. Messages begin with `what`.
Result<Tensor> convert(const Tensor &tensor, DType type,
                       const std::string &what);

/// The same of the elements [first, first + count), written to `to`, where a
/// `type` has a format. Returns the index of the first that cannot be
/// converted, if there is one: what is written then is not defined.
std::optional<uint64_t> convertElements(const Tensor &tensor, DType type,
                                        uint64_t first, uint64_t count,
                                        std::byte *to);

/// Index of the first NaN or infinity, or nothing.
std::optional<uint64_t> findNonFinite(const Tensor &tensor);
/// Index of the first value that is finite in `before` and not in `after`, or
/// nothing. Both are floats, as many.
std::optional<uint64_t> findOverflow(const Tensor &before, const Tensor &after);
/// The value as text, for messages: "nan", "-inf", "0.25".
std::string valueAsText(const Tensor &tensor, uint64_t index);

} // namespace mpc::data

#endif // MPC_DATA_TENSOR_H
