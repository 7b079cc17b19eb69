#include "mpc/Data/Npy.h"

#include <charconv>
#include <cstring>

using namespace mpc;
using namespace mpc::data;

namespace {

/// The three entries of the header's dict.
struct Header {
  std::string descr;
  std::optional<bool> fortranOrder;
  std::optional<Shape> shape;
};

/// Reads the Python dict of a header: string keys, values that are a string,
/// True, False or a tuple of integers. Anything else is a failure.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  bool parse(Header &header) {
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!parseString(key) || !take(':') || !parseValue(key, header))
        return false;
      if (!take(',') && peek() != '}')
        return false;
    }
    return peek() == '\0' && !header.descr.empty() && header.fortranOrder &&
           header.shape;
  }

private:
  char peek() {
    size_t start = rest.find_first_not_of(" \t\r\n");
    rest.remove_prefix(start == std::string_view::npos ? rest.size() : start);
    return rest.empty() ? '\0' : rest.front();
  }
  bool take(char wanted) {
    if (rest.empty() || peek() != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    peek();
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool parseString(std::string &result) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos)
      return false;
    result = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool parseValue(const std::string &key, Header &header) {
    if (key == "descr" && header.descr.empty())
      return parseDescr(header.descr);
    if (key == "fortran_order" && !header.fortranOrder)
      return parseBool(header.fortranOrder);
    if (key == "shape" && !header.shape)
      return parseTuple(header.shape.emplace());
    return false;
  }
  bool parseDescr(std::string &result) {
    if (peek() != '[')
      return parseString(result) && !result.empty();
    // A structured type: keep its text for the message.
    size_t end = rest.find(']');
    if (end == std::string_view::npos)
      return false;
    result = rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool parseBool(std::optional<bool> &result) {
    if (takeWord("True"))
      result = true;
    else if (takeWord("False"))
      result = false;
    return result.has_value();
  }
  bool parseTuple(Shape &result) {
    if (!take('('))
      return false;
    while (!take(')')) {
      peek();
      int64_t dim = 0;
      auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), dim);
      if (error != std::errc() || dim < 0)
        return false;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      result.push_back(dim);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view rest;
};

} // namespace

static Status invalid(const std::string &path, const std::string &what) {
  return Status(StatusCode::Corrupt, "'" + path + "': " + what);
}

/// The format that a descr like "<f4" names.
static Result<ElementFormat> parseDescr(const std::string &descr,
                                        const std::string &path) {
  struct Row {
    char kind;
    unsigned bytes;
    ElementFormat::Kind format;
  };
  static constexpr Row kRows[] = {
      {'f', 2, ElementFormat::Float},    {'f', 4, ElementFormat::Float},
      {'f', 8, ElementFormat::Float},    {'i', 1, ElementFormat::Signed},
      {'i', 2, ElementFormat::Signed},   {'i', 4, ElementFormat::Signed},
      {'i', 8, ElementFormat::Signed},   {'u', 1, ElementFormat::Unsigned},
      {'u', 2, ElementFormat::Unsigned}, {'u', 4, ElementFormat::Unsigned},
      {'u', 8, ElementFormat::Unsigned}, {'b', 1, ElementFormat::Bool},
      {'V', 2, ElementFormat::BFloat},
  };
  if (descr.size() == 3)
    for (const Row &row : kRows) {
      if (descr[1] != row.kind ||
          descr[2] != static_cast<char>('0' + row.bytes))
        continue;
      if (descr[0] == '>')
        return Status(
            StatusCode::InvalidArgument,
            "'" + path + "': expected little-endian values, but got '" + descr +
                "'; save it with .astype('<" + descr.substr(1) + "')");
      if (descr[0] == '<' || descr[0] == '|')
        return ElementFormat{row.format, static_cast<uint8_t>(row.bytes)};
    }
  return Status(StatusCode::TypeMismatch,
                "'" + path + "': expected numbers, but got elements of type '" +
                    descr +
                    "'; save it with .astype('<f4') or another of f2 f4 "
                    "f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
}

/// Reads magic, version and length; returns the bytes of the dict.
static Result<uint64_t> readPrefix(InputFile &file, uint64_t &consumed) {
  constexpr char kMagic[] = "\x93NUMPY";
  std::string tooShort = "expected an npy file, but it has only " +
                         std::to_string(file.size()) + " bytes";
  if (file.size() < 10)
    return invalid(file.path(), tooShort);
  Result<Bytes> prefix = file.read(8);
  if (!prefix)
    return prefix.status();
  if (std::memcmp(prefix->data(), kMagic, 6) != 0)
    return invalid(file.path(), "expected an npy file, but it does not begin "
                                "with \\x93NUMPY");
  unsigned major = static_cast<unsigned>((*prefix)[6]);
  unsigned minor = static_cast<unsigned>((*prefix)[7]);
  if (major < 1 || major > 3 || minor != 0)
    return Status(StatusCode::InvalidArgument,
                  "'" + file.path() +
                      "': expected npy version 1.0, 2.0 or 3.0, "
                      "but got " +
                      std::to_string(major) + "." + std::to_string(minor));
  uint64_t lengthBytes = major == 1 ? 2 : 4;
  if (file.size() < 8 + lengthBytes)
    return invalid(file.path(), tooShort);
  Result<Bytes> length = file.read(lengthBytes);
  if (!length)
    return length.status();
  uint64_t headerBytes = 0;
  std::memcpy(&headerBytes, length->data(), lengthBytes);
  consumed = 8 + lengthBytes;
  return headerBytes;
}

static Result<Header> readHeader(InputFile &file, uint64_t &consumed) {
  Result<uint64_t> headerBytes = readPrefix(file, consumed);
  if (!headerBytes)
    return headerBytes.status();
  if (*headerBytes > file.size() - consumed)
    return invalid(file.path(), "header of " + std::to_string(*headerBytes) +
                                    " bytes is longer than the file of " +
                                    std::to_string(file.size()));
  Result<Bytes> text = file.read(*headerBytes);
  if (!text)
    return text.status();
  consumed += *headerBytes;
  std::string_view view(reinterpret_cast<const char *>(text->data()),
                        text->size());
  Header header;
  if (!HeaderParser(view).parse(header))
    return invalid(file.path(), "malformed npy header; expected a dict with "
                                "'descr', 'fortran_order' and 'shape'");
  return header;
}

Result<Tensor> mpc::data::readNpy(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  uint64_t consumed = 0;
  Result<Header> header = readHeader(*file, consumed);
  if (!header)
    return header.status();
  Result<ElementFormat> format = parseDescr(header->descr, path);
  if (!format)
    return format.status();
  std::optional<uint64_t> count = countElements(*header->shape);
  uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, uint64_t(format->bytes), &bytes))
    return invalid(path, "shape " + describe(*header->shape, format->name()) +
                             " has more elements than can be counted");
  if (*header->fortranOrder && header->shape->size() > 1 && *count > 1)
    return Status(StatusCode::InvalidArgument,
                  "'" + path +
                      "': expected C order, but got Fortran order; "
                      "save it with numpy.ascontiguousarray");
  if (bytes != file->size() - consumed)
    return invalid(path, "expected " + std::to_string(bytes) + " bytes for " +
                             describe(*header->shape, format->name()) +
                             ", but got " +
                             std::to_string(file->size() - consumed));
  Result<Bytes> values = file->read(bytes);
  if (!values)
    return values.status();
  return Tensor{*format, std::move(*header->shape), std::move(*values)};
}

static std::string makeDescr(ElementFormat format) {
  static constexpr char kKinds[] = {'f', 'V', 'i', 'u', 'b'};
  std::string descr = format.bytes == 1 ? "|" : "<";
  return descr + kKinds[format.kind] + std::to_string(format.bytes);
}

Status mpc::data::writeNpy(OutputFile file, const Tensor &tensor) {
  if (tensor.format.kind == ElementFormat::BFloat) {
    Result<Tensor> wide = convert(tensor, DType::F32, file.path());
    return wide ? writeNpy(std::move(file), *wide) : wide.status();
  }
  std::string shape;
  for (int64_t dim : tensor.shape)
    shape += (shape.empty() ? "" : " ") + std::to_string(dim) + ",";
  if (tensor.shape.size() > 1)
    shape.pop_back(); // only a tuple of one needs its comma
  std::string header = "{'descr': '" + makeDescr(tensor.format) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 0xff);
  prefix += static_cast<char>(header.size() >> 8);
  prefix += header;
  std::span<const std::byte> parts[] = {
      std::as_bytes(std::span(prefix.data(), prefix.size())), tensor.bytes};
  return writeFile(std::move(file), parts);
}
