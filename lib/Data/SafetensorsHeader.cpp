#include "SafetensorsHeader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using namespace mpc;
using namespace mpc::data;
using nlohmann::json;

static constexpr std::string_view kMetadata = "__metadata__";

static constexpr StoredType kTypes[] = {
    {"F64", 64, DType::F64},          {"F32", 32, DType::F32},
    {"F16", 16, DType::F16},          {"BF16", 16, DType::BF16},
    {"I64", 64, DType::I64},          {"I32", 32, DType::I32},
    {"BOOL", 8, DType::I1},           {"F8_E4M3", 8, DType::F8E4M3},
    {"F8_E5M2", 8, DType::F8E5M2},    {"U8", 8, std::nullopt},
    {"I8", 8, std::nullopt},          {"I16", 16, std::nullopt},
    {"U16", 16, std::nullopt},        {"U32", 32, std::nullopt},
    {"U64", 64, std::nullopt},        {"C64", 64, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},     {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt}, {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},     {"F4", 4, std::nullopt},
};

const StoredType *mpc::data::findStoredType(std::string_view name) {
  for (const StoredType &row : kTypes)
    if (row.name == name)
      return &row;
  return nullptr;
}

const StoredType *mpc::data::findStoredType(DType type) {
  for (const StoredType &row : kTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

Status mpc::data::invalidSafetensors(const std::string &path,
                                     std::string_view kind,
                                     const std::string &what) {
  return Status(StatusCode::Corrupt,
                "'" + path + "': " + std::string(kind) + ": " + what);
}

//===-- JSON --------------------------------------------------------------===//

std::optional<std::string> mpc::data::quoteJson(std::string_view text) {
  try {
    return json(text).dump(); // as strict about UTF-8 as the parser
  } catch (const json::type_error &) {
    return std::nullopt;
  }
}

namespace {
/// Takes what the parser finds, event by event. No tree is built: nodes of one
/// allocate where they are destroyed, and without memory that ends the process.
class HeaderReader : public nlohmann::json_sax<json> {
public:
  SafetensorsHeader header;
  std::string mistake; ///< The first; the parser stops there.

  bool start_object(size_t) override {
    if (inList)
      return refuse();
    if (++depth == 2) {
      isMetadata = name == kMetadata;
      entry = {name, nullptr, {}, 0, 0};
      seen = {};
    }
    return depth <= 2 || refuse();
  }
  bool key(std::string &text) override {
    if (!keys[depth - 1].insert(text).second)
      return fail("duplicate key '" + text + "'");
    (depth == 1 ? name : field) = text;
    return true;
  }
  bool end_object() override {
    if (--depth == 0)
      return true;
    keys[1].clear();
    if (isMetadata)
      return true;
    if (seen.dtype != 1 || seen.shape != 1 || seen.offsets != 1)
      return refuse();
    entry.begin = offsets[0];
    entry.end = offsets[1];
    header.entries.push_back(std::move(entry));
    return true;
  }
  bool string(std::string &text) override {
    if (depth == 2 && isMetadata) {
      header.metadata.emplace(field, text);
      return true;
    }
    if (depth != 2 || inList || field != "dtype")
      return refuse();
    ++seen.dtype;
    entry.type = findStoredType(text);
    return entry.type ||
           fail("tensor '" + name + "': unknown dtype '" + text + "'");
  }
  bool start_array(size_t) override {
    bool isShape = field == "shape";
    if (depth != 2 || isMetadata || inList ||
        (!isShape && field != "data_offsets"))
      return refuse();
    inList = true;
    numOffsets = 0;
    ++(isShape ? seen.shape : seen.offsets);
    return true;
  }
  bool number_unsigned(uint64_t number) override {
    if (!inList)
      return refuse();
    if (field == "data_offsets") {
      if (numOffsets < 2)
        offsets[numOffsets] = number;
      return ++numOffsets <= 2 || refuse();
    }
    if (number > static_cast<uint64_t>(INT64_MAX))
      return refuse();
    entry.shape.push_back(static_cast<int64_t>(number));
    return true;
  }
  bool end_array() override {
    inList = false;
    return field == "shape" || numOffsets == 2 || refuse();
  }
  bool null() override { return refuse(); }
  bool boolean(bool) override { return refuse(); }
  bool number_integer(int64_t) override { return refuse(); }
  bool number_float(double, const std::string &) override { return refuse(); }
  bool binary(json::binary_t &) override { return refuse(); }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail("it is not one JSON object in UTF-8");
  }

private:
  bool fail(std::string what) {
    if (mistake.empty())
      mistake = std::move(what);
    return false;
  }
  /// A value that does not belong where it is.
  bool refuse() {
    if (name == kMetadata)
      return fail("expected '__metadata__' to map strings to strings");
    std::string tensor = "tensor '" + name + "': expected ";
    if (depth == 2 && field == "shape")
      return fail(tensor + "'shape' to be a list of sizes");
    if (depth == 2 && field == "data_offsets")
      return fail(tensor + "'data_offsets' to be two positions");
    return fail(tensor + "an object with 'dtype', 'shape' and 'data_offsets'");
  }

  unsigned depth = 0;
  bool isMetadata = false, inList = false;
  std::string name, field;       ///< The keys that we are past.
  std::set<std::string> keys[2]; ///< Of the open objects.
  HeaderEntry entry = {};
  struct {
    unsigned dtype, shape, offsets;
  } seen = {};
  uint64_t offsets[2] = {};
  unsigned numOffsets = 0;
};
} // namespace

//===-- Entries -----------------------------------------------------------===//

/// Checks that the tensor's bytes are those of its shape.
static Status checkExtent(const HeaderEntry &entry, const std::string &path) {
  std::string tensor = "tensor '" + entry.name + "': ";
  std::optional<uint64_t> count = countElements(entry.shape);
  uint64_t bits = 0;
  if (!count ||
      __builtin_mul_overflow(*count, uint64_t(entry.type->bits), &bits))
    return invalidSafetensors(path, "ValidationOverflow",
                              tensor + "its shape has more elements than can "
                                       "be counted");
  if (bits % 8 != 0)
    return invalidSafetensors(path, "MisalignedSlice",
                              tensor + std::to_string(bits) +
                                  " bits are not whole bytes");
  if (entry.begin > entry.end)
    return invalidSafetensors(
        path, "InvalidOffset",
        tensor + "it ends at byte " + std::to_string(entry.end) +
            ", before its begin at " + std::to_string(entry.begin));
  if (entry.end - entry.begin != bits / 8)
    return invalidSafetensors(
        path, "TensorInvalidInfo",
        tensor + "expected " + std::to_string(bits / 8) + " bytes for " +
            describe(entry.shape, std::string(entry.type->name)) +
            ", but got " + std::to_string(entry.end - entry.begin));
  return Status();
}

/// Sorted by offset, the tensors must cover the buffer without hole or overlap.
static Status checkTiling(std::vector<HeaderEntry> &entries,
                          uint64_t bufferBytes, const std::string &path) {
  std::sort(entries.begin(), entries.end(),
            [](const HeaderEntry &a, const HeaderEntry &b) {
              return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
            });
  uint64_t covered = 0;
  for (const HeaderEntry &entry : entries) {
    if (entry.begin != covered)
      return invalidSafetensors(path, "InvalidOffset",
                                "tensor '" + entry.name +
                                    "': expected it to begin at byte " +
                                    std::to_string(covered) + ", but got " +
                                    std::to_string(entry.begin));
    if (Status status = checkExtent(entry, path); !status.ok())
      return status;
    covered = entry.end;
  }
  if (covered != bufferBytes)
    return invalidSafetensors(path, "MetadataIncompleteBuffer",
                              "expected " + std::to_string(covered) +
                                  " bytes of data, but the file has " +
                                  std::to_string(bufferBytes));
  return Status();
}

Result<SafetensorsHeader> mpc::data::parseHeader(std::string_view text,
                                                 uint64_t bufferBytes,
                                                 const std::string &path) {
  if (text.empty() || text.front() != '{')
    return invalidSafetensors(path, "InvalidHeader",
                              "expected the header to begin with '{'");
  HeaderReader reader;
  if (!json::sax_parse(text.begin(), text.end(), &reader))
    return invalidSafetensors(path, "InvalidHeaderDeserialization",
                              reader.mistake);
  if (Status status = checkTiling(reader.header.entries, bufferBytes, path);
      !status.ok())
    return status;
  return std::move(reader.header);
}
