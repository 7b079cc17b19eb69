#include "NewData.h"
#include "mpc/Data/Tensor.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/ExternalData.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Support/Links.h"
#include "mpc/Support/TemporaryFile.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

/// Where tensors begin, so that whoever reads the file may map it.
static constexpr uint64_t kAlignment = 4096;
static constexpr std::byte kZeros[kAlignment] = {};

static Status refuse(const TensorProto &tensor, const std::string &why) {
  return {StatusCode::InvalidArgument, "'" + tensor.name() + "': " + why};
}

Result<std::span<const std::byte>>
NewData::convert(const TensorProto &tensor, const TrainedTensor &value) {
  DType wanted = *floatFormatOf(tensor.data_type());
  std::optional<data::ElementFormat> format = data::formatOf(value.type);
  data::Shape shape(value.shape.begin(), value.shape.end());
  std::optional<uint64_t> count = data::countElements(shape);
  if (!format || !format->isFloat() || !count ||
      *count * format->bytes != value.bytes.size())
    return refuse(tensor, "expected floats, as many as its shape says");
  if (value.type == wanted)
    return value.bytes;
  data::Tensor whole{
      *format, std::move(shape), {value.bytes.begin(), value.bytes.end()}};
  Result<data::Tensor> made = data::convert(whole, wanted, "");
  if (!made)
    return refuse(tensor, made.status().message());
  if (std::optional<uint64_t> bad = data::findOverflow(whole, *made))
    return refuse(tensor, "value " + data::valueAsText(whole, *bad) +
                              " at element " + std::to_string(*bad) +
                              " is beyond what the model's type " +
                              nameOf(tensor.data_type()) + " holds");
  return std::span<const std::byte>(
      converted.emplace_back(std::move(made->bytes)));
}

Status NewData::set(TensorProto &tensor, const TrainedTensor &value) {
  if (tensor.has_segment())
    return refuse(tensor,
                  "expected the whole tensor, but got a segment of one");
  auto bytes = convert(tensor, value);
  if (!bytes)
    return bytes.status();
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    outside[&tensor] = *bytes;
    return {};
  }
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.set_raw_data(bytes->data(), bytes->size());
  return {};
}

Result<std::span<const std::byte>> NewData::oldData(const TensorProto &tensor) {
  Result<ExternalPlace> at = placeOf(tensor);
  if (!at)
    return refuse(tensor, at.status().message());
  // Here too: where there is a new value, nobody reads the old one.
  if (folder.empty())
    return refuse(tensor,
                  "its data lie in file '" + at->location +
                      "', but the model has no folder: tell where it lies");
  files.push_back(folder + "/" + at->location);
  if (auto found = outside.find(&tensor); found != outside.end())
    return found->second;
  auto count =
      data::countElements({tensor.dims().begin(), tensor.dims().end()});
  uint64_t each = static_cast<uint64_t>(bytesOf(tensor.data_type()));
  uint64_t size = at->length.value_or(count.value_or(0) * each);
  if ((!count || !each) && !at->length)
    return refuse(tensor, "expected to know the bytes of its external data");
  auto bytes = readExternalData(tensor, folder, size, kept);
  if (!bytes)
    return refuse(tensor, bytes.status().message());
  kept += size;
  return std::as_bytes(std::span(read.emplace_back(std::move(*bytes))));
}

void NewData::place(TensorProto &tensor, std::span<const std::byte> bytes) {
  if (uint64_t behind = size % kAlignment) {
    parts.push_back(std::span(kZeros).first(kAlignment - behind));
    size += kAlignment - behind;
  }
  tensor.clear_external_data();
  auto add = [&](const char *key, std::string value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(value));
  };
  add("location", std::filesystem::path(name).filename().string());
  add("offset", std::to_string(size));
  add("length", std::to_string(bytes.size()));
  parts.push_back(bytes);
  size += bytes.size();
}

Status NewData::move(::onnx::ModelProto &model) {
  Status status;
  forEachTensor(model, [&](TensorProto &tensor) {
    if (!status.ok() || tensor.data_location() != TensorProto::EXTERNAL)
      return;
    auto bytes = oldData(tensor);
    if (bytes)
      place(tensor, *bytes);
    else
      status = bytes.status();
  });
  return status;
}

/// Whether the model `path`, if there is one, has data in `file` beside it.
static bool hasDataIn(const std::string &path, const std::string &file) {
  auto old = data::InputFile::open(path);
  if (!old || old->size() > uint64_t(std::numeric_limits<int32_t>::max()))
    return false;
  auto bytes = old->read(old->size());
  ::onnx::ModelProto model;
  if (!bytes ||
      !model.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
    return false;
  bool has = false;
  forEachTensor(model, [&](TensorProto &tensor) {
    if (has || tensor.data_location() != TensorProto::EXTERNAL)
      return;
    Result<ExternalPlace> at = placeOf(tensor);
    has = at && isSameFile(folderOf(path) + at->location, file);
  });
  return has;
}

/// What lies where the data go is replaced with the copy whose data it is, and
/// else somebody's own. What is no regular file is never written to.
static Status expectOwn(const std::string &name, const std::string &output) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(name, none)) ||
      hasDataIn(output, name))
    return {};
  return {StatusCode::InvalidArgument,
          "'" + name + "' would be overwritten, and no model '" + output +
              "' has its data there, so that it is something else: move it "
              "away, or choose another name for the copy"};
}

Status NewData::check(const std::string &output) const {
  for (const std::string &file : files)
    for (const std::string &written : {output, name})
      if (isSameFile(file, written))
        return {StatusCode::InvalidArgument,
                "'" + written +
                    "' would be overwritten, which the model's own data lie "
                    "in: choose another name for the copy"};
  return parts.empty() ? Status() : expectOwn(name, output);
}

/// Readers do not follow a link to a model's data, and look for them beside it.
static Status expectRegular(const std::string &path, const char *why) {
  std::error_code none;
  namespace fs = std::filesystem;
  fs::file_status found = fs::symlink_status(path, none);
  if (!fs::exists(found) || fs::is_regular_file(found))
    return {};
  return {StatusCode::InvalidArgument,
          "'" + path + "': expected a regular file, or none yet, " + why};
}

static Status writeFailure(const std::string &path) {
  return {StatusCode::IoError,
          "'" + path + "': cannot be written: " + std::strerror(errno)};
}

Status NewData::write(const std::string &output,
                      std::span<const std::byte> model) const {
  if (parts.empty())
    return data::writeFile(output, {&model, 1});
  if (Status status =
          expectRegular(output, "as the model has data in files beside it");
      !status.ok())
    return status;
  if (Status status = expectRegular(name, "for the copy's data"); !status.ok())
    return status;
  TemporaryFile outside(name), copy(output);
  bool good = outside.opened();
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = outside.write(parts[i]);
  if (!good || !outside.flush())
    return writeFailure(name);
  if (!copy.opened() || !copy.write(model) || !copy.flush())
    return writeFailure(output);
  if (!outside.publish())
    return writeFailure(name);
  return copy.publish() ? Status() : writeFailure(output);
}
