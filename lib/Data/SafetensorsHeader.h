// The JSON of a safetensors file, apart from the data.
#ifndef MPC_LIB_DATA_SAFETENSORSHEADER_H
#define MPC_LIB_DATA_SAFETENSORSHEADER_H

#include "mpc/Data/Safetensors.h"

#include <array>

namespace mpc::data {

/// A type of the format; `type` is missing where we do not compute with it.
struct StoredType {
  std::string_view name;
  unsigned bits;
  std::optional<DType> type;
};
const StoredType *findStoredType(std::string_view name);
const StoredType *findStoredType(DType type);

/// Where a tensor lies, as the header says.
struct HeaderEntry {
  std::string name;
  const StoredType *type;
  Shape shape;
  uint64_t begin, end;
};
struct SafetensorsHeader {
  std::vector<HeaderEntry> entries; ///< In the order of their offsets.
  Metadata metadata;
};

/// Parses and checks the header against a buffer of `bufferBytes` bytes.
Result<SafetensorsHeader> parseHeader(std::string_view text,
                                      uint64_t bufferBytes,
                                      const std::string &path);

/// `text` as a string of JSON; nothing if it is not UTF-8.
std::optional<std::string> quoteJson(std::string_view text);

/// A failure of the taxonomy: "'x.safetensors': HeaderTooLarge: ...".
Status invalidSafetensors(const std::string &path, std::string_view kind,
                          const std::string &what);

} // namespace mpc::data

#endif // MPC_LIB_DATA_SAFETENSORSHEADER_H
