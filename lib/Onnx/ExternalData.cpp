#include "mpc/Onnx/ExternalData.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::onnx;

static Status refuse(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

static std::optional<uint64_t> readNumber(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

Result<ExternalPlace> mpc::onnx::placeOf(const ::onnx::TensorProto &tensor) {
  ExternalPlace place;
  for (const auto &entry : tensor.external_data()) {
    const std::string &key = entry.key();
    if (key == "location") {
      place.location = entry.value();
    } else if (key == "offset" || key == "length") {
      std::optional<uint64_t> number = readNumber(entry.value());
      if (!number)
        return refuse("expected " + key + " to be a whole number, but got '" +
                      entry.value() + "'");
      if (key == "offset")
        place.offset = *number;
      else
        place.length = *number;
    } else if (key != "checksum" && key != "basepath") {
      return refuse("unknown entry '" + key + "' of external data");
    }
  }
  return place;
}

namespace {
/// A file or a folder that is open, until this ends.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  int get() const { return number; }

private:
  int number;
};
} // namespace

/// Opens what `location` names below `folder`, one name at a time, so that no
/// name may be a link.
static Result<Descriptor> openBelow(const std::string &folder,
                                    const std::string &location) {
  auto fail = [&](const std::string &why) {
    return refuse("location '" + location + "': " + why);
  };
  if (location.empty() || location.starts_with("/") ||
      location.find('\0') != location.npos ||
      location.find('\\') != location.npos)
    return fail("expected a path relative to the model's folder");
  Descriptor at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0)
    return fail(std::string("the model's folder cannot be opened: ") +
                std::strerror(errno));
  for (size_t begin = 0; begin != location.npos;) {
    size_t slash = location.find('/', begin);
    bool isLast = slash == location.npos;
    std::string name = location.substr(begin, slash - begin);
    begin = isLast ? slash : slash + 1;
    if (name.empty() || name == "." || name == "..")
      return fail("expected names of folders and a file, without '.' and "
                  "'..'");
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    Descriptor next(
        openat(at.get(), name.c_str(), isLast ? flags : flags | O_DIRECTORY));
    if (next.get() < 0 && errno == ELOOP)
      return fail("'" + name +
                  "' is a symbolic link, which may lead out of "
                  "the model's folder; put the file itself "
                  "there");
    if (next.get() < 0)
      return fail(std::string("cannot be opened: ") + std::strerror(errno));
    at = std::move(next);
  }
  return at;
}

static Status readAt(int file, const ExternalPlace &place,
                     std::vector<char> &data) {
  for (uint64_t done = 0; done < data.size();) {
    ssize_t got = pread(file, data.data() + done, data.size() - done,
                        static_cast<off_t>(place.offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return {StatusCode::IoError,
              "location '" + place.location + "': cannot be read: " +
                  (got == 0 ? "it became shorter" : std::strerror(errno))};
    done += static_cast<uint64_t>(got);
  }
  return {};
}

/// Zeros, if there may be memory for them beside `before` bytes: a sparse file
/// can be as long as a tensor says, however long that is.
static bool allocate(std::vector<char> &data, uint64_t bytes, uint64_t before) {
  auto pages = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  auto each = static_cast<uint64_t>(std::max(1L, sysconf(_SC_PAGESIZE)));
  if (pages > 0 && bytes / each + before / each >= pages)
    return false;
  try {
    data.resize(bytes);
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

Result<std::vector<char>>
mpc::onnx::readExternalData(const ::onnx::TensorProto &tensor,
                            const std::string &folder, uint64_t bytes,
                            uint64_t before) {
  Result<ExternalPlace> place = placeOf(tensor);
  if (!place)
    return place.status();
  if (folder.empty())
    return refuse("its data lie in file '" + place->location +
                  "', but the model has no folder: give it as a file");
  if (place->length && *place->length != bytes)
    return refuse("expected " + std::to_string(bytes) +
                  " bytes of external data for its shape and type, but its "
                  "length is " +
                  std::to_string(*place->length));
  Result<Descriptor> file = openBelow(folder, place->location);
  if (!file)
    return file.status();
  struct stat facts;
  if (fstat(file->get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return refuse("location '" + place->location +
                  "': expected a regular file");
  auto size = static_cast<uint64_t>(facts.st_size);
  if (place->offset > size || bytes > size - place->offset)
    return refuse("expected " + std::to_string(bytes) + " bytes at offset " +
                  std::to_string(place->offset) + " of '" + place->location +
                  "', but the file has " + std::to_string(size));
  std::vector<char> data;
  if (!allocate(data, bytes, before))
    return Status(StatusCode::OutOfMemory, "there is no memory for " +
                                               std::to_string(bytes) +
                                               " bytes of external data");
  if (Status read = readAt(file->get(), *place, data); !read.ok())
    return read;
  return data;
}
