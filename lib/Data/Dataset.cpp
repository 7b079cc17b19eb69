#include "mpc/Data/Dataset.h"

#include "Window.h"
#include "mpc/Data/Idx.h"
#include "mpc/Data/Npy.h"
#include "mpc/Data/TensorFile.h"
#include "mpc/Support/Assert.h"

#include <algorithm>
#include <cstring>

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

/// Flags are 0 or 1: another byte is true to some code and false to other.
static Status checkFlags(const Tensor &tensor, const std::string &path) {
  if (tensor.format.kind != ElementFormat::Bool)
    return Status();
  auto bad = std::ranges::find_if(
      tensor.bytes, [](std::byte flag) { return flag > std::byte(1); });
  if (bad == tensor.bytes.end())
    return Status();
  return Status(StatusCode::InvalidArgument,
                "'" + path + "': expected flags that are 0 or 1, but element " +
                    std::to_string(bad - tensor.bytes.begin()) + " is " +
                    std::to_string(std::to_integer<int>(*bad)));
}

static Result<Tensor> readFile(const InputSpec &spec, bool isBatched,
                               const std::string &path) {
  Result<TensorFile> kind = kindOfInputFile(path);
  if (!kind)
    return kind.status();
  Result<Tensor> tensor = *kind == TensorFile::Npy ? readNpy(path)
                          : *kind == TensorFile::Idx
                              ? readIdx(path)
                              : readRaw(spec, isBatched, path);
  if (!tensor)
    return tensor;
  if (*kind == TensorFile::Idx && isBatched)
    addChannel(spec.shape, tensor->shape);
  if (Status status = checkFlags(*tensor, path); !status.ok())
    return status;
  return tensor;
}

bool Dataset::isBatched(size_t index) const {
  const Shape &shape = specs[index].shape;
  return !shape.empty() && static_cast<uint64_t>(shape.front()) == batch;
}

/// What to do with a file that is a stream for batches of rows; or "".
static std::string describeWindows(const InputSpec &spec,
                                   const Tensor &tensor) {
  if (spec.shape.size() < 2 || tensor.shape.size() + 1 != spec.shape.size() ||
      !std::equal(spec.shape.begin() + 2, spec.shape.end(),
                  tensor.shape.begin() + 1))
    return "";
  return "; '--window " + spec.name + "' takes windows of a stream";
}

Status Dataset::checkShape(size_t index, const std::string &path) {
  const InputSpec &spec = specs[index];
  const Tensor &tensor = tensors[index];
  Shape wanted = spec.shape;
  if (isBatched(index) && !tensor.shape.empty())
    wanted.front() = tensor.shape.front();
  if (tensor.shape == wanted && !(isBatched(index) && wanted.front() == 0))
    return Status();
  // A type that is converted is no part of what is wrong.
  std::string type = options.convertTypes
                         ? tensor.format.name()
                         : std::string(getInfo(spec.type).name);
  std::string text = describe(wanted, type);
  if (isBatched(index))
    text = "Nx" +
           describe(Shape(spec.shape.begin() + 1, spec.shape.end()), type) +
           " with N > 0";
  return Status(StatusCode::ShapeMismatch,
                "'" + path + "': expected shape " + text + " for input '" +
                    spec.name + "', but got " +
                    describe(tensor.shape, tensor.format.name()) +
                    describeWindows(spec, tensor));
}

Status Dataset::readInput(size_t index, const std::string &path) {
  const InputSpec &spec = specs[index];
  Result<Tensor> tensor = readFile(spec, isBatched(index), path);
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

static std::string listNames(const std::vector<InputSpec> &specs) {
  std::string names;
  for (const InputSpec &spec : specs)
    names += (names.empty() ? "'" : ", '") + spec.name + "'";
  return names.empty() ? "none" : names;
}

/// Every file is for an input of the program, and there are no two for one.
static Status checkFiles(const std::vector<InputSpec> &specs,
                         std::span<const InputFileChoice> files) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (std::none_of(specs.begin(), specs.end(), [&](const InputSpec &spec) {
          return spec.name == file->input;
        }))
      return Status(StatusCode::NotFound, "the program has no input '" +
                                              file->input + "'; it has " +
                                              listNames(specs));
    if (std::any_of(files.begin(), file, [&](const InputFileChoice &other) {
          return other.input == file->input;
        }))
      return Status(StatusCode::InvalidArgument,
                    "two files for input '" + file->input + "'");
  }
  return Status();
}

//===-- Windows -----------------------------------------------------------===//

const WindowChoice *Dataset::findWindow(const std::string &input) const {
  for (const WindowChoice &choice : options.windows)
    if (choice.input == input)
      return &choice;
  return nullptr;
}

/// Each is for an input of batches of rows, all of as many rows; there are no
/// two for one.
Status Dataset::checkWindows() const {
  std::optional<size_t> first;
  for (const WindowChoice &choice : options.windows) {
    std::string option = "'--window " + choice.input + "': ";
    auto spec = std::ranges::find(specs, choice.input, &InputSpec::name);
    if (spec == specs.end())
      return Status(StatusCode::NotFound,
                    option + "the program has no input '" + choice.input +
                        "'; it has " + listNames(specs));
    if (findWindow(choice.input) != &choice)
      return Status(StatusCode::InvalidArgument,
                    option + "expected it once, but got it twice");
    auto index = static_cast<size_t>(spec - specs.begin());
    std::string element(getInfo(spec->type).name);
    if (!isBatched(index) || spec->shape.size() < 2)
      return Status(StatusCode::InvalidArgument,
                    option + "expected an input of batches of rows, " +
                        std::to_string(batch) + "xT.., but input '" +
                        spec->name + "' is " + describe(spec->shape, element));
    if (first && spec->shape[1] != specs[*first].shape[1])
      return Status(StatusCode::InvalidArgument,
                    option + "expected windows of " +
                        std::to_string(specs[*first].shape[1]) +
                        " rows, as those of input '" + specs[*first].name +
                        "', but input '" + spec->name + "' is " +
                        describe(spec->shape, element));
    first = first.value_or(index);
  }
  return Status();
}

/// A stream that another input reads too is read once.
Status Dataset::readWindow(size_t index, const WindowChoice &choice,
                           const std::string &path) {
  const InputSpec &spec = specs[index];
  Result<TensorFile> kind = kindOfInputFile(path);
  bool saysItsType = kind && *kind != TensorFile::Raw;
  std::shared_ptr<const Tensor> stream;
  for (const std::shared_ptr<const Window> &other : windows)
    if (other && other->path() == path &&
        (saysItsType || other->stream()->format == formatOf(spec.type)))
      stream = other->stream();
  if (!stream) {
    InputSpec rows = spec; // a stream is samples of one row
    rows.shape.erase(rows.shape.begin());
    Result<Tensor> tensor = readFile(rows, /*isBatched=*/true, path);
    if (!tensor)
      return tensor.status();
    stream = std::make_shared<const Tensor>(std::move(*tensor));
  }
  Result<std::shared_ptr<const Window>> window =
      Window::make(spec, choice.offset, path, std::move(stream), options);
  if (!window)
    return window.status();
  windows[index] = std::move(*window);
  return Status();
}

//===-- Samples -----------------------------------------------------------===//

/// All files that are cut into samples have as many; all streams, as many rows.
Status Dataset::noteSamples(size_t index, const std::string &path) {
  const Window *window = windows[index].get();
  uint64_t rows = window ? window->numRows()
                         : static_cast<uint64_t>(tensors[index].shape.front());
  if (!firstPath.empty() && rows != fileRows)
    return Status(StatusCode::ShapeMismatch,
                  "'" + path + "': expected " + std::to_string(fileRows) +
                      (window ? " rows" : " samples") + " as in '" + firstPath +
                      "', but got " + std::to_string(rows));
  if (firstPath.empty()) {
    firstPath = path;
    fileRows = rows;
    places = samples = UINT64_MAX;
  }
  places = std::min(places, window ? window->numPlaces() : rows);
  samples = std::min(samples, window ? window->numDisjoint() : rows);
  if (window)
    windowRows = window->rows();
  return Status();
}

/// Reads the file of an input, as what the options say it holds.
Status Dataset::readSamples(size_t index, const std::string &path) {
  const InputSpec &spec = specs[index];
  const WindowChoice *choice = findWindow(spec.name);
  if (!choice && isBatched(index) && !options.windows.empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + path + "': expected '--window " + spec.name +
                      "' too, since samples are windows for input '" +
                      options.windows.front().input + "', and input '" +
                      spec.name + "' is cut into samples");
  Status status =
      choice ? readWindow(index, *choice, path) : readInput(index, path);
  if (!status.ok() || !isBatched(index))
    return status;
  return noteSamples(index, path);
}

Status Dataset::readInputs(std::span<const InputFileChoice> files) {
  for (size_t i = 0; i < specs.size(); ++i) {
    const InputSpec &spec = specs[i];
    auto file = std::ranges::find(files, spec.name, &InputFileChoice::input);
    if (file == files.end() && spec.mayBeMissing && !findWindow(spec.name))
      continue;
    if (file == files.end() && spec.mayBeMissing)
      return Status(StatusCode::NotFound,
                    "'--window " + spec.name +
                        "': expected a file for input '" + spec.name +
                        "' too; give " + options.fileOption + " " + spec.name +
                        "=FILE, or leave it out");
    if (file == files.end())
      return Status(StatusCode::NotFound, "no file for input '" + spec.name +
                                              "'; give " + options.fileOption +
                                              " " + spec.name + "=FILE");
    if (Status status = readSamples(i, file->path); !status.ok())
      return status;
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
  set.windows.resize(set.specs.size());
  for (const InputSpec &spec : set.specs)
    if (!spec.shape.empty() && set.batch == 0)
      set.batch = static_cast<uint64_t>(spec.shape.front());
  if (!set.isBatched())
    set.batch = set.samples = set.places = 1;
  if (set.options.labelInput.empty())
    set.options.labelInput = set.findLabels();
  if (Status status = set.checkLabels(); !status.ok())
    return status;
  if (Status status = checkFiles(set.specs, files); !status.ok())
    return status;
  if (Status status = set.checkWindows(); !status.ok())
    return status;
  if (Status status = set.readInputs(files); !status.ok())
    return status;
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

void Dataset::copySample(size_t index, uint64_t place, std::byte *to) const {
  uint64_t bytes = bytesPerRow(specs[index]);
  if (windows[index])
    windows[index]->copy(place, to);
  else
    std::memcpy(to, tensors[index].bytes.data() + place * bytes, bytes);
}

/// Makes the padding labels that do not count. Returns how many do.
uint64_t Dataset::fillLabels(size_t index, Bytes &labels,
                             uint64_t realSamples) const {
  DType type = specs[index].type;
  int64_t ignored = *ignoredLabel();
  unsigned bytes = getInfo(type).bytes;
  uint64_t real = realSamples * bytesPerRow(specs[index]), counting = 0;
  for (uint64_t at = real; at < labels.size(); at += bytes)
    storeLabel(labels.data() + at, type, ignored);
  for (uint64_t at = 0; at < real; at += bytes)
    counting += loadLabel(labels.data() + at, type) != ignored;
  return counting;
}

void Dataset::fill(Batch &destination, std::span<const uint64_t> order) const {
  MPC_ASSERT(!order.empty() && order.size() <= batch,
             "a batch has 1..size samples");
  destination.realSamples = destination.weight = order.size();
  for (size_t i = 0; i < specs.size(); ++i) {
    uint64_t row = isBatched(i) ? bytesPerRow(specs[i]) : 0;
    if (row == 0 || isMissing(i))
      continue;
    Bytes &bytes = destination.inputs[i];
    for (uint64_t k = 0; k < batch; ++k)
      copySample(i, order[std::min<uint64_t>(k, order.size() - 1)],
                 bytes.data() + k * row);
    if (specs[i].name == options.labelInput)
      destination.weight = fillLabels(i, bytes, order.size());
  }
}
