#include "mpc/Data/Safetensors.h"

#include "SafetensorsHeader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

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
                                  " bytes, but got " + std::to_string(length));
  if (length > file.size() - 8)
    return invalidSafetensors(file.path(), "InvalidHeaderLength",
                              "header of " + std::to_string(length) +
                                  " bytes is longer than the file of " +
                                  std::to_string(file.size()));
  return length;
}

static Result<Safetensors> readChecked(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  Result<uint64_t> length = readHeaderLength(*file);
  if (!length)
    return length.status();
  Result<Bytes> text = file->read(*length);
  if (!text)
    return text.status();
  uint64_t bufferBytes = file->size() - 8 - *length;
  std::string_view view(reinterpret_cast<const char *>(text->data()),
                        text->size());
  Result<SafetensorsHeader> header = parseHeader(view, bufferBytes, path);
  if (!header)
    return header.status();
  Result<Bytes> buffer = file->read(bufferBytes);
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

Result<Safetensors> mpc::data::readSafetensors(const std::string &path) {
  try {
    return readChecked(path);
  } catch (const std::bad_alloc &) { // of the JSON parser
    return Status(StatusCode::OutOfMemory,
                  "'" + path + "': no memory for its header");
  }
}

/// Whether a reader of the format gets back what is written under `name`.
static bool isStorable(std::string_view name) {
  return name != "__metadata__" && isValidUtf8(name) &&
         name.find('\0') == std::string_view::npos;
}

static Status
checkNames(const std::string &path, const std::vector<TensorToStore> &tensors,
           const std::map<std::string, std::string, std::less<>> &metadata) {
  for (const TensorToStore &tensor : tensors)
    if (!isStorable(tensor.name))
      return Status(StatusCode::InvalidArgument,
                    "'" + path +
                        "': expected a tensor name in UTF-8, other "
                        "than '__metadata__', but got '" +
                        tensor.name + "'");
  for (const auto &[key, value] : metadata)
    if (!isValidUtf8(key) || !isValidUtf8(value))
      return Status(StatusCode::InvalidArgument,
                    "'" + path + "': expected metadata in UTF-8, but got '" +
                        key + "' = '" + value + "'");
  return Status();
}

Status mpc::data::writeSafetensors(
    const std::string &path, std::vector<TensorToStore> tensors,
    const std::map<std::string, std::string, std::less<>> &metadata) {
  if (Status status = checkNames(path, tensors, metadata); !status.ok())
    return status;
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorToStore &a, const TensorToStore &b) {
              unsigned left = getInfo(a.type).bytes,
                       right = getInfo(b.type).bytes;
              return left != right ? left > right : a.name < b.name;
            });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t position = 0;
  for (const TensorToStore &tensor : tensors) {
    uint64_t end = position + tensor.bytes.size();
    if (header.contains(tensor.name))
      return Status(StatusCode::InvalidArgument,
                    "'" + path + "': two tensors are named '" + tensor.name +
                        "'");
    header[tensor.name] = {{"dtype", findStoredType(tensor.type)->name},
                           {"shape", tensor.shape},
                           {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text =
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();

  std::vector<std::span<const std::byte>> parts = {
      std::as_bytes(std::span(&length, 1)),
      std::as_bytes(std::span(text.data(), text.size()))};
  for (const TensorToStore &tensor : tensors)
    parts.push_back(tensor.bytes);
  return writeFile(path, parts);
}
