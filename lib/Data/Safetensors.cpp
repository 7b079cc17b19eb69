#include "mpc/Data/Safetensors.h"

#include "SafetensorsHeader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>

using namespace mpc;
using namespace mpc::data;

/// The reference reader's limit.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

static Result<uint64_t> readHeaderLength(InputFile &file) {
  if (file.size() < 8)
    return invalidSafetensors(file.path(), "HeaderTooSmall",
                              "expected at least 8 bytes, but got " +
                                  std::to_string(file.size()));
  Result<Bytes> prefix = file.read(8);
  if (!prefix)
    return prefix.status();
  uint64_t length;
  std::memcpy(&length, prefix->data(), sizeof(length));
  if (length > kMaxHeaderBytes)
    return invalidSafetensors(file.path(), "HeaderTooLarge",
                              "expected a header of at most " +
                                  std::to_string(kMaxHeaderBytes) +
                                  " bytes, but got " + std::to_string(length) +
                                  "; is this a safetensors file?");
  if (length > file.size() - 8)
    return invalidSafetensors(file.path(), "InvalidHeaderLength",
                              "header of " + std::to_string(length) +
                                  " bytes is longer than the file of " +
                                  std::to_string(file.size()));
  return length;
}

/// Reads `file` up to where its buffer begins.
static Result<SafetensorsHeader> readHeader(InputFile &file) {
  Result<uint64_t> length = readHeaderLength(file);
  if (!length)
    return length.status();
  Result<Bytes> text = file.read(*length);
  if (!text)
    return text.status();
  std::string_view view(reinterpret_cast<const char *>(text->data()),
                        text->size());
  return parseHeader(view, file.size() - 8 - *length, file.path());
}

static Result<Safetensors> readChecked(InputFile &file) {
  Result<SafetensorsHeader> header = readHeader(file);
  if (!header)
    return header.status();
  // The tensors tile the buffer.
  uint64_t size = header->entries.empty() ? 0 : header->entries.back().end;
  Result<Bytes> buffer = file.read(size);
  if (!buffer)
    return buffer.status();

  Safetensors result;
  result.buffer = std::move(*buffer);
  result.metadata = std::move(header->metadata);
  for (HeaderEntry &entry : header->entries)
    result.tensors.emplace(
        entry.name,
        StoredTensor{entry.name, std::string(entry.type->name),
                     entry.type->type, std::move(entry.shape),
                     std::span(result.buffer)
                         .subspan(entry.begin, entry.end - entry.begin)});
  return result;
}

template <typename T, typename Read>
static Result<T> openAndRead(const std::string &path, Read read,
                             const IsOver &isOver = {}) {
  try {
    Result<InputFile> file = InputFile::open(path, isOver);
    if (!file)
      return file.status();
    return read(*file);
  } catch (const std::bad_alloc &) { // of the JSON parser
    return Status(StatusCode::OutOfMemory,
                  "'" + path + "': no memory for its header");
  }
}

Result<Safetensors> mpc::data::readSafetensors(const std::string &path,
                                               const IsOver &isOver) {
  return openAndRead<Safetensors>(path, readChecked, isOver);
}

Result<Metadata> mpc::data::readSafetensorsMetadata(const std::string &path) {
  return openAndRead<Metadata>(path, [](InputFile &file) -> Result<Metadata> {
    Result<SafetensorsHeader> header = readHeader(file);
    if (!header)
      return header.status();
    return std::move(header->metadata);
  });
}

/// `"name":`, or nothing if no reader of the format would get the name back.
static std::optional<std::string> keyOf(std::string_view name) {
  if (name == "__metadata__" || name.find('\0') != std::string_view::npos)
    return std::nullopt;
  std::optional<std::string> key = quoteJson(name);
  return key ? std::optional(*key + ":") : std::nullopt;
}

static Result<std::string> writeMetadata(const std::string &path,
                                         const Metadata &metadata) {
  std::string text = "\"__metadata__\":{";
  for (const auto &[key, value] : metadata) {
    std::optional<std::string> quotedKey = quoteJson(key),
                               quoted = quoteJson(value);
    if (!quotedKey || !quoted)
      return Status(StatusCode::InvalidArgument,
                    "'" + path + "': expected metadata in UTF-8, but got '" +
                        key + "' = '" + value + "'");
    text += (text.back() == '{' ? "" : ",") + *quotedKey + ":" + *quoted;
  }
  return text + "}";
}

static std::string listNumbers(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? "," : "") + std::to_string(number);
  return text + "]";
}

/// The JSON, its length in front. By hand, without a tree of the library: its
/// nodes allocate where they are destroyed, and without memory that ends the
/// process.
static Result<std::string>
writeHeader(const std::string &path, const std::vector<TensorToStore> &tensors,
            const Metadata &metadata) {
  uint64_t length = 0;
  std::string text(sizeof length, '\0');
  text += "{";
  if (!metadata.empty()) {
    Result<std::string> first = writeMetadata(path, metadata);
    if (!first)
      return first.status();
    text += *first;
  }
  std::set<std::string_view> names;
  uint64_t position = 0;
  for (const TensorToStore &tensor : tensors) {
    std::optional<std::string> key = keyOf(tensor.name);
    if (!key)
      return Status(StatusCode::InvalidArgument,
                    "'" + path +
                        "': expected a tensor name in UTF-8, other "
                        "than '__metadata__', but got '" +
                        tensor.name + "'");
    if (!names.insert(tensor.name).second)
      return Status(StatusCode::InvalidArgument,
                    "'" + path + "': two tensors are named '" + tensor.name +
                        "'");
    uint64_t end = position + tensor.bytes.size();
    text += (text.back() == '{' ? "" : ",") + *key + "{\"dtype\":\"" +
            std::string(findStoredType(tensor.type)->name) +
            "\",\"shape\":" + listNumbers(tensor.shape) +
            ",\"data_offsets\":[" + std::to_string(position) + "," +
            std::to_string(end) + "]}";
    position = end;
  }
  text += "}";
  text.append((8 - text.size() % 8) % 8, ' ');
  length = text.size() - sizeof length;
  std::memcpy(text.data(), &length, sizeof length);
  return text;
}

Result<std::string>
mpc::data::layOutSafetensors(const std::string &path,
                             std::vector<TensorToStore> &tensors,
                             const Metadata &metadata) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorToStore &a, const TensorToStore &b) {
              unsigned left = getInfo(a.type).bytes,
                       right = getInfo(b.type).bytes;
              return left != right ? left > right : a.name < b.name;
            });
  return writeHeader(path, tensors, metadata);
}

Status mpc::data::writeSafetensors(OutputFile file,
                                   std::vector<TensorToStore> tensors,
                                   const Metadata &metadata) {
  Result<std::string> text = layOutSafetensors(file.path(), tensors, metadata);
  if (!text)
    return text.status();
  std::vector<std::span<const std::byte>> parts = {
      std::as_bytes(std::span(text->data(), text->size()))};
  for (const TensorToStore &tensor : tensors)
    parts.push_back(tensor.bytes);
  return writeFile(std::move(file), parts);
}
