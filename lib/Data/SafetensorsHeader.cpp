#include "SafetensorsHeader.h"

#include "mpc/Support/Nesting.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using namespace mpc;
using namespace mpc::data;
using nlohmann::json;

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

/// The header has at most three levels; refusing more before parsing keeps a
/// hostile file from growing the parser's stack.
static bool isNestedTooDeep(std::string_view text) {
  return findTooDeepBracket(text, BracketSyntax::Json, 3).has_value();
}

/// Parses; fills `duplicate` with the first key that an object has twice.
static json parseStrict(std::string_view text, std::string &duplicate) {
  std::vector<std::set<std::string>> keys;
  auto watch = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key &&
             !keys.back().insert(value.get<std::string>()).second &&
             duplicate.empty())
      duplicate = "'" + value.get<std::string>() + "'";
    return true;
  };
  return json::parse(text.begin(), text.end(), watch,
                     /*allow_exceptions=*/false);
}

bool mpc::data::isValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    size_t more = lead < 0x80                   ? 0
                  : lead >= 0xc2 && lead < 0xe0 ? 1
                  : lead >= 0xe0 && lead < 0xf0 ? 2
                  : lead >= 0xf0 && lead < 0xf5 ? 3
                                                : 4;
    if (more == 4 || i + more >= text.size())
      return false;
    for (size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80)
        return false;
    i += more + 1;
  }
  return true;
}

//===-- Entries -----------------------------------------------------------===//

static bool readShape(const json &list, Shape &shape) {
  if (!list.is_array())
    return false;
  for (const json &dim : list) {
    if (!dim.is_number_unsigned() ||
        dim.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return false;
    shape.push_back(static_cast<int64_t>(dim.get<uint64_t>()));
  }
  return true;
}

static bool readOffsets(const json &list, HeaderEntry &entry) {
  if (!list.is_array() || list.size() != 2 || !list[0].is_number_unsigned() ||
      !list[1].is_number_unsigned())
    return false;
  entry.begin = list[0].get<uint64_t>();
  entry.end = list[1].get<uint64_t>();
  return true;
}

static Result<HeaderEntry> readEntry(const std::string &name, const json &value,
                                     const std::string &path) {
  auto fail = [&](const std::string &what) {
    return invalidSafetensors(path, "InvalidHeaderDeserialization",
                              "tensor '" + name + "': " + what);
  };
  if (!value.is_object() || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets") ||
      value.size() != 3)
    return fail("expected an object with 'dtype', 'shape' and 'data_offsets'");
  HeaderEntry entry{name, nullptr, {}, 0, 0};
  if (value["dtype"].is_string())
    entry.type = findStoredType(value["dtype"].get<std::string>());
  if (!entry.type)
    return fail(
        "unknown dtype " +
        value["dtype"].dump(-1, ' ', true, json::error_handler_t::replace));
  if (!readShape(value["shape"], entry.shape))
    return fail("expected 'shape' to be a list of sizes");
  if (!readOffsets(value["data_offsets"], entry))
    return fail("expected 'data_offsets' to be two positions");
  return entry;
}

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
  if (!isValidUtf8(text))
    return invalidSafetensors(path, "InvalidHeader", "it is not UTF-8");
  constexpr std::string_view kBroken = "InvalidHeaderDeserialization";
  if (isNestedTooDeep(text))
    return invalidSafetensors(path, kBroken, "it is nested too deep");
  std::string duplicate;
  json root = parseStrict(text, duplicate);
  if (!root.is_object())
    return invalidSafetensors(path, kBroken, "it is not a JSON object");
  if (!duplicate.empty())
    return invalidSafetensors(path, kBroken, "duplicate key " + duplicate);

  SafetensorsHeader header;
  for (const auto &[name, value] : root.items()) {
    if (name != "__metadata__") {
      Result<HeaderEntry> entry = readEntry(name, value, path);
      if (!entry)
        return entry.status();
      header.entries.push_back(std::move(*entry));
      continue;
    }
    for (const auto &[key, text] : value.items()) {
      if (!value.is_object() || !text.is_string())
        return invalidSafetensors(path, kBroken,
                                  "expected '__metadata__' to map strings to "
                                  "strings");
      header.metadata.emplace(key, text.get<std::string>());
    }
  }
  if (Status status = checkTiling(header.entries, bufferBytes, path);
      !status.ok())
    return status;
  return header;
}
