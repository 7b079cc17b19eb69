#include "mpc/Data/Dataset.h"

#include "ElementAccess.h"
#include "mpc/Data/Npy.h"
#include "mpc/Data/TensorFile.h"
#include "mpc/Support/Assert.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::data;

//===-- Loading -----------------------------------------------------------===//

static uint64_t bytesPerRow(const InputSpec &spec) {
  Shape row(spec.shape.begin() + 1, spec.shape.end());
  return *countElements(row) * getInfo(spec.type).bytes;
}

/// A file of bare values: as many samples as it has room for.
static Result<Tensor> readRaw(const InputSpec &spec, bool isBatched,
                              const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  std::optional<ElementFormat> format = formatOf(spec.type);
  if (!format)
    return Status(StatusCode::TypeMismatch,
                  "'" + path + "': raw values of type " +
                      std::string(getInfo(spec.type).name) + " cannot be read");
  Shape shape = spec.shape;
  uint64_t unit =
      isBatched ? bytesPerRow(spec) : *countElements(shape) * format->bytes;
  uint64_t units = unit == 0 ? 0 : file->size() / unit;
  if (unit == 0 || units * unit != file->size() || (!isBatched && units != 1))
    return Status(StatusCode::SizeMismatch,
                  "'" + path + "': expected " +
                      (isBatched ? "a multiple of " : "") +
                      std::to_string(unit) + " bytes for input '" + spec.name +
                      "' (" + describe(spec.shape, format->name()) +
                      "), but got " + std::to_string(file->size()));
  if (isBatched)
    shape.front() = static_cast<int64_t>(units);
  Result<Bytes> bytes = file->read(file->size());
  if (!bytes)
    return bytes.status();
  return Tensor{*format, std::move(shape), std::move(*bytes)};
}

bool Dataset::isBatched(size_t index) const {
  const Shape &shape = specs[index].shape;
  return !shape.empty() && static_cast<uint64_t>(shape.front()) == batch;
}

Status Dataset::checkShape(size_t index, const std::string &path) {
  const InputSpec &spec = specs[index];
  const Tensor &tensor = tensors[index];
  Shape wanted = spec.shape;
  if (isBatched(index) && !tensor.shape.empty())
    wanted.front() = tensor.shape.front();
  if (tensor.shape == wanted && !(isBatched(index) && wanted.front() == 0))
    return Status();
  std::string text = describe(wanted, tensor.format.name());
  if (isBatched(index))
    text = "Nx" +
           describe(Shape(spec.shape.begin() + 1, spec.shape.end()),
                    tensor.format.name()) +
           " with N > 0";
  return Status(StatusCode::ShapeMismatch,
                "'" + path + "': expected shape " + text + " for input '" +
                    spec.name + "', but got " +
                    describe(tensor.shape, tensor.format.name()));
}

Status Dataset::readInput(size_t index, const std::string &path) {
  const InputSpec &spec = specs[index];
  Result<TensorFile> kind = kindOfTensorFile(path);
  if (!kind)
    return kind.status();
  Result<Tensor> tensor = *kind == TensorFile::Npy
                              ? readNpy(path)
                              : readRaw(spec, isBatched(index), path);
  if (!tensor)
    return tensor.status();
  tensors[index] = std::move(*tensor);
  if (Status status = checkShape(index, path); !status.ok())
    return status;

  std::string wanted(getInfo(spec.type).name);
  std::string found = tensors[index].format.name();
  if (tensors[index].format != formatOf(spec.type)) {
    if (!options.convertTypes)
      return Status(StatusCode::TypeMismatch,
                    "'" + path + "': expected " + wanted + " for input '" +
                        spec.name + "', but got " + found +
                        "; --convert converts it");
    Result<Tensor> converted =
        convert(tensors[index], spec.type, "'" + path + "'");
    if (!converted)
      return converted.status();
    tensors[index] = std::move(*converted);
  }
  if (std::optional<uint64_t> bad = findNonFinite(tensors[index]);
      bad && !options.allowNonFinite)
    return Status(StatusCode::InvalidArgument,
                  "'" + path + "': expected finite values, but got " +
                      valueAsText(tensors[index], *bad) + " at element " +
                      std::to_string(*bad) + "; --allow-non-finite accepts it");
  return checkClasses(index, path);
}

/// A label outside of the classes would make the loss infinite, and say no
/// more.
Status Dataset::checkClasses(size_t index, const std::string &path) const {
  const InputSpec &spec = specs[index];
  if (!spec.labels)
    return Status();
  std::optional<BadLabel> bad =
      findBadLabel(tensors[index].bytes, spec.type, *spec.labels);
  if (!bad)
    return Status();
  uint64_t labels = 1;
  if (isBatched(index))
    labels = bytesPerRow(spec) / getInfo(spec.type).bytes;
  return Status(StatusCode::InvalidArgument,
                "'" + path + "', for input '" + spec.name +
                    "': " + describeBadLabel(*bad, *spec.labels, labels));
}

/// The padding must not count for the loss either.
Status Dataset::checkIgnored(const InputSpec &spec) const {
  if (!spec.labels || spec.labels->ignored == ignoredLabel())
    return Status();
  std::string ignored = "ignores none";
  if (spec.labels->ignored)
    ignored = "ignores " + std::to_string(*spec.labels->ignored);
  return Status(StatusCode::InvalidArgument,
                "expected the label of input '" + spec.name +
                    "' that the model's loss does not count, but got " +
                    std::to_string(*ignoredLabel()) + ", and the loss " +
                    ignored);
}

std::string Dataset::findLabels() const {
  std::string found;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!isBatched(i) || !specs[i].labels || !specs[i].labels->ignored)
      continue;
    if (!found.empty())
      return "";
    found = specs[i].name;
  }
  return found;
}

Status Dataset::checkLabels() const {
  if (options.labelInput.empty())
    return Status();
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name != options.labelInput)
      continue;
    bool isInteger = specs[i].type == DType::I32 || specs[i].type == DType::I64;
    if (isInteger && isBatched(i))
      return checkIgnored(specs[i]);
    return Status(
        StatusCode::InvalidArgument,
        "expected input '" + specs[i].name +
            "' to hold i32 or i64 labels of a batch of " +
            std::to_string(batch) + ", but got " +
            describe(specs[i].shape, std::string(getInfo(specs[i].type).name)));
  }
  return Status(StatusCode::NotFound,
                "the program has no input '" + options.labelInput + "'");
}

/// Every file is for an input of the program, and there are no two for one.
static Status checkFiles(const std::vector<InputSpec> &specs,
                         std::span<const InputFileChoice> files) {
  std::string names;
  for (const InputSpec &spec : specs)
    names += (names.empty() ? "'" : ", '") + spec.name + "'";
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (std::none_of(specs.begin(), specs.end(), [&](const InputSpec &spec) {
          return spec.name == file->input;
        }))
      return Status(StatusCode::NotFound, "the program has no input '" +
                                              file->input + "'; it has " +
                                              (names.empty() ? "none" : names));
    if (std::any_of(files.begin(), file, [&](const InputFileChoice &other) {
          return other.input == file->input;
        }))
      return Status(StatusCode::InvalidArgument,
                    "two files for input '" + file->input + "'");
  }
  return Status();
}

Result<Dataset> Dataset::load(std::vector<InputSpec> specs,
                              std::span<const InputFileChoice> files,
                              const DatasetOptions &options) {
  Dataset set;
  set.specs = std::move(specs);
  set.options = options;
  set.tensors.resize(set.specs.size());
  for (const InputSpec &spec : set.specs)
    if (!spec.shape.empty() && set.batch == 0)
      set.batch = static_cast<uint64_t>(spec.shape.front());
  if (!set.isBatched())
    set.batch = set.samples = 1;
  if (set.options.labelInput.empty())
    set.options.labelInput = set.findLabels();
  if (Status status = set.checkLabels(); !status.ok())
    return status;
  if (Status status = checkFiles(set.specs, files); !status.ok())
    return status;

  std::string firstPath;
  for (size_t i = 0; i < set.specs.size(); ++i) {
    const InputSpec &spec = set.specs[i];
    auto file =
        std::find_if(files.begin(), files.end(), [&](const InputFileChoice &f) {
          return f.input == spec.name;
        });
    if (file == files.end() && spec.mayBeMissing)
      continue;
    if (file == files.end())
      return Status(StatusCode::NotFound, "no file for input '" + spec.name +
                                              "'; give " + options.fileOption +
                                              " " + spec.name + "=FILE");
    if (Status status = set.readInput(i, file->path); !status.ok())
      return status;
    if (!set.isBatched(i))
      continue;
    uint64_t rows = static_cast<uint64_t>(set.tensors[i].shape.front());
    if (!firstPath.empty() && rows != set.samples)
      return Status(StatusCode::ShapeMismatch,
                    "'" + file->path + "': expected " +
                        std::to_string(set.samples) + " samples as in '" +
                        firstPath + "', but got " + std::to_string(rows));
    set.samples = rows;
    if (firstPath.empty())
      firstPath = file->path;
  }
  return set;
}

//===-- Batches -----------------------------------------------------------===//

std::optional<int64_t> Dataset::ignoredLabel() const {
  constexpr int64_t kUsual = -100;
  if (options.labelInput.empty())
    return std::nullopt;
  if (options.ignoredLabel)
    return options.ignoredLabel;
  for (const InputSpec &spec : specs)
    if (spec.name == options.labelInput && spec.labels && spec.labels->ignored)
      return spec.labels->ignored;
  return kUsual;
}

bool Dataset::isBatched() const {
  return std::any_of(specs.begin(), specs.end(),
                     [](const InputSpec &spec) { return !spec.shape.empty(); });
}

Batch Dataset::makeBatch() const {
  Batch result;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (isBatched(i))
      result.inputs.emplace_back(bytesPerRow(specs[i]) * batch);
    else if (isMissing(i))
      result.inputs.emplace_back(*countElements(specs[i].shape) *
                                 getInfo(specs[i].type).bytes);
    else
      result.inputs.push_back(tensors[i].bytes);
  }
  return result;
}

static void storeLabel(std::byte *to, DType type, int64_t value) {
  int32_t narrow = static_cast<int32_t>(value);
  if (type == DType::I64)
    std::memcpy(to, &value, sizeof(value));
  else
    std::memcpy(to, &narrow, sizeof(narrow));
}

static int64_t loadLabel(const std::byte *from, DType type) {
  int64_t value = 0;
  int32_t narrow = 0;
  if (type == DType::I64) {
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  std::memcpy(&narrow, from, sizeof(narrow));
  return narrow;
}

void Dataset::fill(Batch &destination, std::span<const uint64_t> order) const {
  MPC_ASSERT(!order.empty() && order.size() <= batch,
             "a batch has 1..size samples");
  destination.realSamples = destination.weight = order.size();
  for (size_t i = 0; i < specs.size(); ++i) {
    uint64_t row = isBatched(i) ? bytesPerRow(specs[i]) : 0;
    if (row == 0 || isMissing(i))
      continue;
    std::byte *to = destination.inputs[i].data();
    for (uint64_t k = 0; k < batch; ++k) {
      uint64_t sample = order[std::min<uint64_t>(k, order.size() - 1)];
      std::memcpy(to + k * row, tensors[i].bytes.data() + sample * row, row);
    }
    if (specs[i].name != options.labelInput)
      continue;
    int64_t ignored = *ignoredLabel();
    unsigned bytes = getInfo(specs[i].type).bytes;
    for (uint64_t at = order.size() * row; at < batch * row; at += bytes)
      storeLabel(to + at, specs[i].type, ignored);
    destination.weight = 0;
    for (uint64_t at = 0; at < order.size() * row; at += bytes)
      destination.weight += loadLabel(to + at, specs[i].type) != ignored;
  }
}
