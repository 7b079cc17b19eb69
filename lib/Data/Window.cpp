#include "Window.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::data;

/// [batch, rows, ...]: the dims of one row are behind the first two.
static Shape shapeOfRow(const InputSpec &spec) {
  return Shape(spec.shape.begin() + 2, spec.shape.end());
}

/// Whether every value of `from` is one of `to`: of integers alone.
static bool holdsAll(DType to, ElementFormat from) {
  if (to != DType::I32 && to != DType::I64)
    return false;
  unsigned bytes = getInfo(to).bytes;
  return (from.kind == ElementFormat::Signed && from.bytes <= bytes) ||
         (from.kind == ElementFormat::Unsigned && from.bytes < bytes);
}

Window::Window(const InputSpec &spec, uint64_t offset, std::string path,
               std::shared_ptr<const Tensor> stream)
    : tensor(std::move(stream)), file(std::move(path)), type(spec.type),
      offset(offset), length(static_cast<uint64_t>(spec.shape[1])),
      rowElements(*countElements(shapeOfRow(spec))) {}

Result<std::shared_ptr<const Window>>
Window::make(const InputSpec &spec, uint64_t offset, const std::string &path,
             std::shared_ptr<const Tensor> stream,
             const DatasetOptions &options) {
  std::shared_ptr<const Window> window(
      new Window(spec, offset, path, std::move(stream)));
  if (Status status = window->checkShape(spec); !status.ok())
    return status;
  if (Status status = window->checkType(spec, options); !status.ok())
    return status;
  if (Status status = window->checkElements(spec, options); !status.ok())
    return status;
  return window;
}

Status Window::checkShape(const InputSpec &spec) const {
  std::string element = tensor->format.name();
  std::string found = describe(tensor->shape, element);
  Shape row = shapeOfRow(spec);
  if (tensor->shape.empty() ||
      !std::equal(tensor->shape.begin() + 1, tensor->shape.end(), row.begin(),
                  row.end()))
    return Status(StatusCode::ShapeMismatch,
                  "'" + file + "': expected a stream of shape Nx" +
                      describe(row, element) + " for the windows of input '" +
                      spec.name + "', but got " + found);
  if (offset <= numRows() && length <= numRows() - offset)
    return Status();
  std::string behind;
  if (offset > 0)
    behind = ", " + std::to_string(offset) + " behind the place of a sample";
  return Status(StatusCode::ShapeMismatch,
                "'" + file + "': expected at least one window of " +
                    std::to_string(length) + " rows for input '" + spec.name +
                    "'" + behind + ", but got " + found);
}

Status Window::checkType(const InputSpec &spec,
                         const DatasetOptions &options) const {
  std::optional<ElementFormat> wanted = formatOf(spec.type);
  if (wanted && (tensor->format == *wanted || options.convertTypes ||
                 holdsAll(spec.type, tensor->format)))
    return Status();
  return Status(
      StatusCode::TypeMismatch,
      "'" + file + "': expected " + std::string(getInfo(spec.type).name) +
          " for the windows of input '" + spec.name + "', but got " +
          tensor->format.name() + (wanted ? "; --convert converts it" : ""));
}

/// A part at a time: the stream is not to be in memory twice.
Status Window::checkElements(const InputSpec &spec,
                             const DatasetOptions &options) const {
  if (std::optional<uint64_t> bad = findNonFinite(*tensor);
      bad && !options.allowNonFinite)
    return Status(StatusCode::InvalidArgument,
                  "'" + file + "': expected finite values, but got " +
                      valueAsText(*tensor, *bad) + " at element " +
                      std::to_string(*bad) + "; --allow-non-finite accepts it");
  constexpr uint64_t kPart = 1 << 16;
  uint64_t elements = numRows() * rowElements;
  Bytes part(std::min(kPart, elements) * getInfo(type).bytes);
  for (uint64_t first = 0; first < elements; first += kPart) {
    uint64_t count = std::min(kPart, elements - first);
    if (std::optional<uint64_t> bad =
            convertElements(*tensor, type, first, count, part.data()))
      return Status(StatusCode::InvalidArgument,
                    "'" + file + "': value " + valueAsText(*tensor, *bad) +
                        " at element " + std::to_string(*bad) +
                        " cannot be converted to " +
                        std::string(getInfo(type).name));
    if (!spec.labels)
      continue;
    std::span<const std::byte> converted(part.data(),
                                         count * getInfo(type).bytes);
    if (auto bad = findBadLabel(converted, type, *spec.labels))
      return Status(StatusCode::InvalidArgument,
                    "'" + file + "', for input '" + spec.name +
                        "': " + describeBadLabel(*bad, *spec.labels) +
                        " at element " + std::to_string(first + bad->index));
  }
  return Status();
}

void Window::copy(uint64_t place, std::byte *to) const {
  uint64_t first = (place + offset) * rowElements;
  uint64_t count = length * rowElements;
  uint64_t bytes = tensor->format.bytes;
  if (tensor->format == formatOf(type))
    std::memcpy(to, tensor->bytes.data() + first * bytes, count * bytes);
  else // it can: all of it was tried
    static_cast<void>(convertElements(*tensor, type, first, count, to));
}
