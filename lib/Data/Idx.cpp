#include "mpc/Data/Idx.h"

#include "Gunzip.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <ranges>

using namespace mpc;
using namespace mpc::data;

static Status bad(const std::string &path, const std::string &what) {
  return {StatusCode::InvalidArgument,
          "'" + path + "': expected an idx file, but " + what};
}

static std::optional<ElementFormat> formatOfCode(std::byte code) {
  switch (std::to_integer<int>(code)) {
  case 0x08:
    return ElementFormat{ElementFormat::Unsigned, 1};
  case 0x09:
    return ElementFormat{ElementFormat::Signed, 1};
  case 0x0b:
    return ElementFormat{ElementFormat::Signed, 2};
  case 0x0c:
    return ElementFormat{ElementFormat::Signed, 4};
  case 0x0d:
    return ElementFormat{ElementFormat::Float, 4};
  case 0x0e:
    return ElementFormat{ElementFormat::Float, 8};
  default:
    return std::nullopt;
  }
}

namespace {
/// The bytes of a file, unpacked where they are packed.
class Source {
public:
  static Result<Source> open(const std::string &path) {
    Result<InputFile> file = InputFile::open(path);
    if (!file)
      return file.status();
    Result<Bytes> bytes = file->read(file->size());
    if (!bytes)
      return bytes.status();
    return Source(path, std::move(*bytes));
  }

  /// The next `count`; an error if there are fewer.
  Result<Bytes> read(uint64_t count) {
    if (count > most())
      return tooShort();
    Bytes part;
    if (!packed) {
      part.assign(bytes.begin() + static_cast<std::ptrdiff_t>(taken),
                  bytes.begin() + static_cast<std::ptrdiff_t>(taken + count));
      taken += count;
      return part;
    }
    Result<Bytes> unpacked = packed->read(count);
    if (!unpacked)
      return bad(path, unpacked.status().message());
    return unpacked->size() == count ? std::move(unpacked) : tooShort();
  }

  /// Whether nothing is left.
  Result<bool> isAtEnd() {
    if (!packed)
      return taken == bytes.size();
    Result<Bytes> more = packed->read(1);
    if (!more)
      return bad(path, more.status().message());
    return more->empty() && packed->isAllRead();
  }

private:
  Source(std::string path, Bytes all)
      : path(std::move(path)), bytes(std::move(all)) {
    if (Gunzip::isPacked(bytes))
      packed = std::make_unique<Gunzip>(bytes);
  }
  Result<Bytes> tooShort() const { return bad(path, "it ends too early"); }
  /// More than there can be is refused before there is memory for it.
  uint64_t most() const {
    return packed ? Gunzip::mostOf(bytes.size()) : bytes.size() - taken;
  }

  std::string path;
  Bytes bytes;
  uint64_t taken = 0;
  std::unique_ptr<Gunzip> packed; ///< Reads from `bytes`.
};
} // namespace

static Result<Shape> readShape(Source &source, uint64_t dims) {
  Result<Bytes> header = source.read(4 * dims);
  if (!header)
    return header.status();
  Shape shape;
  for (uint64_t dim = 0; dim < dims; ++dim) {
    int64_t size = 0;
    for (uint64_t i = 0; i < 4; ++i)
      size = size << 8 | std::to_integer<int64_t>((*header)[4 * dim + i]);
    shape.push_back(size);
  }
  return shape;
}

/// Big-endian elements become little-endian.
static void swapBytes(Tensor &tensor) {
  for (auto at = tensor.bytes.begin(); at != tensor.bytes.end();
       at += tensor.format.bytes)
    std::reverse(at, at + tensor.format.bytes);
}

static Result<Tensor> readFrom(const std::string &path) {
  Result<Source> source = Source::open(path);
  if (!source)
    return source.status();
  Result<Bytes> magic = source->read(4);
  if (!magic)
    return magic.status();
  std::optional<ElementFormat> format = formatOfCode((*magic)[2]);
  if ((*magic)[0] != std::byte(0) || (*magic)[1] != std::byte(0) || !format)
    return bad(path, "its first bytes are those of none");
  Result<Shape> shape =
      readShape(*source, std::to_integer<uint64_t>((*magic)[3]));
  if (!shape)
    return shape.status();
  std::optional<uint64_t> elements = countElements(*shape);
  if (!elements || *elements > UINT64_MAX / format->bytes)
    return bad(path, "its dims are too large");
  Result<Bytes> values = source->read(*elements * format->bytes);
  if (!values)
    return values.status();
  Result<bool> isAtEnd = source->isAtEnd();
  if (!isAtEnd)
    return isAtEnd.status();
  if (!*isAtEnd)
    return bad(path, "there is more behind its values");
  Tensor tensor{*format, std::move(*shape), std::move(*values)};
  if (format->bytes > 1)
    swapBytes(tensor);
  return tensor;
}

Result<Tensor> mpc::data::readIdx(const std::string &path) {
  try {
    return readFrom(path);
  } catch (const std::bad_alloc &) {
    return Status(StatusCode::OutOfMemory,
                  "'" + path + "': no memory for its values");
  }
}

void mpc::data::addChannel(const Shape &wanted, Shape &found) {
  auto withoutOnes = [](const Shape &shape) {
    Shape rest;
    std::ranges::copy_if(shape | std::views::drop(1), std::back_inserter(rest),
                         [](int64_t size) { return size != 1; });
    return rest;
  };
  if (found.empty() || wanted.size() != found.size() + 1 ||
      withoutOnes(wanted) != withoutOnes(found))
    return;
  int64_t samples = found.front();
  found = wanted;
  found.front() = samples;
}
